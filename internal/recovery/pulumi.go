package recovery

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// Pulumi runs the Pulumi command line with text on stdin and returns its stdout.
type Pulumi func(ctx context.Context, stdin []byte, args ...string) ([]byte, error)

// CommandLine is the `pulumi` in PATH, run in a folder. Its error holds the command and what it said on stderr.
func CommandLine(dir string) Pulumi {
	return func(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
		args = append(args, "--non-interactive", "--color=never")
		command := exec.CommandContext(ctx, "pulumi", args...)
		command.Dir = dir
		command.Stdin = bytes.NewReader(stdin)
		var said bytes.Buffer
		command.Stderr = &said
		out, err := command.Output()
		if err != nil {
			return nil, fmt.Errorf("pulumi %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(said.String()))
		}
		return out, nil
	}
}
