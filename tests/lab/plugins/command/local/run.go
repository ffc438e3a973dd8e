package local

import (
	"context"
	"os"
	"os/exec"
	"strings"

	"strata/tests/lab/plugins/command/output"
)

// run runs command in a shell and stores its output in out. When ctx ends, it kills only the shell.
// As in the official plugin, run then still waits for children of the shell that keep the output
// open.
func run(ctx context.Context, command string, in CommandArgs, out *Outputs) error {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Env = environment(in, out)
	if in.Stdin != nil && *in.Stdin != "" {
		cmd.Stdin = strings.NewReader(*in.Stdin)
	}
	capture := output.Start(ctx, in.Logging)
	cmd.Stdout, cmd.Stderr = capture.Stdout, capture.Stderr
	err := cmd.Run()
	if closed := capture.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return capture.Fail(err, command)
	}
	out.Stdout, out.Stderr = capture.Outputs()
	return nil
}

func environment(in CommandArgs, last *Outputs) []string {
	env := os.Environ()
	if in.Environment != nil {
		for name, value := range *in.Environment {
			env = append(env, name+"="+value)
		}
	}
	if in.AddPreviousOutputInEnv != nil && !*in.AddPreviousOutputInEnv {
		return env
	}
	if last.Stdout != "" {
		env = append(env, "PULUMI_COMMAND_STDOUT="+last.Stdout)
	}
	if last.Stderr != "" {
		env = append(env, "PULUMI_COMMAND_STDERR="+last.Stderr)
	}
	return env
}
