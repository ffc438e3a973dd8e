package local

import (
	"context"
	"os"
	"os/exec"
	"strings"

	"strata/tests/lab/plugins/command/output"
)

// run executes command and fills out. The context kills only the interpreter:
// children of it that hold the output open keep the run waiting, as upstream.
func run(ctx context.Context, command string, in CommandArgs, out *Outputs) error {
	cmd, err := build(ctx, command, in, out)
	if err != nil {
		return err
	}
	capture := output.Start(ctx, in.Logging)
	cmd.Stdout, cmd.Stderr = capture.Stdout, capture.Stderr
	err = cmd.Run()
	if closed := capture.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return capture.Fail(err, command)
	}
	out.Stdout, out.Stderr = capture.Outputs()
	return nil
}

func build(ctx context.Context, command string, in CommandArgs, out *Outputs) (*exec.Cmd, error) {
	argv := []string{"/bin/sh", "-c"}
	if in.Interpreter != nil && len(*in.Interpreter) > 0 {
		argv = append([]string{}, *in.Interpreter...)
	}
	argv = append(argv, command)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = environment(in, out)
	if in.Stdin != nil && *in.Stdin != "" {
		cmd.Stdin = strings.NewReader(*in.Stdin)
	}
	if in.Dir != nil {
		cmd.Dir = *in.Dir
		return cmd, nil
	}
	dir, err := os.Getwd()
	cmd.Dir = dir
	return cmd, err
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
