package stackstate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Pulumi runs the Pulumi command line with text on stdin and returns its stdout.
type Pulumi func(ctx context.Context, stdin []byte, args ...string) ([]byte, error)

// ErrNoStack is the error of Export for a stack that the backend does not have.
var ErrNoStack = errors.New("there is no such stack")

// CommandLine returns a Pulumi that runs the `pulumi` in PATH, in a folder. Its error has the
// command and its stderr.
func CommandLine(dir string) Pulumi {
	return func(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
		args = append(args, "--non-interactive", "--color=never")
		command := exec.CommandContext(ctx, "pulumi", args...)
		command.Dir = dir
		command.Stdin = bytes.NewReader(stdin)
		var output bytes.Buffer
		command.Stderr = &output
		out, err := command.Output()
		if err != nil {
			return nil, fmt.Errorf("pulumi %s: %w: %s", strings.Join(args, " "), err,
				strings.TrimSpace(output.String()))
		}
		return out, nil
	}
}

// Export returns a stack's state in Pulumi's format, with its secrets encrypted unless a flag of
// `pulumi stack export` reveals them. A missing stack is ErrNoStack.
func (p Pulumi) Export(ctx context.Context, stack string, flags ...string) ([]byte, error) {
	export, err := p(ctx, nil, append([]string{"stack", "export", "--stack", stack}, flags...)...)
	if err != nil && strings.Contains(err.Error(), "no stack named") {
		err = fmt.Errorf("%w: %w", ErrNoStack, err)
	}
	return export, err
}

// Read returns a stack's state with its secrets, which stay in this process.
func (p Pulumi) Read(ctx context.Context, stack string) (*State, error) {
	export, err := p.Export(ctx, stack, "--show-secrets")
	if err != nil {
		return nil, err
	}
	return Parse(export)
}

// ReadEncrypted returns a stack's state with its secrets encrypted, for a reader that needs none.
func (p Pulumi) ReadEncrypted(ctx context.Context, stack string) (*State, error) {
	export, err := p.Export(ctx, stack)
	if err != nil {
		return nil, err
	}
	return parse(export)
}
