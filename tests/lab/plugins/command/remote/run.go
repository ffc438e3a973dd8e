package remote

import (
	"context"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"golang.org/x/crypto/ssh"

	"strata/tests/lab/plugins/command/output"
)

// run runs a command and stores its output in s. It does nothing if command is nil, because each
// command is optional.
func (s *CommandState) run(ctx context.Context, command *string) error {
	if command == nil {
		return nil
	}
	client, err := s.Connection.dial(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	session, err := client.NewSession()
	if err != nil {
		return err
	}
	defer session.Close()
	if err := s.setEnvironment(ctx, session); err != nil {
		return err
	}
	return s.execute(ctx, session, *command)
}

func (s *CommandState) execute(ctx context.Context, session *ssh.Session, command string) error {
	if s.Stdin != nil && *s.Stdin != "" {
		session.Stdin = strings.NewReader(*s.Stdin)
	}
	capture := output.Start(ctx, s.Logging)
	session.Stdout, session.Stderr = capture.Stdout, capture.Stderr
	err := session.Run(command)
	if closed := capture.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return capture.Fail(err, command)
	}
	s.Stdout, s.Stderr = capture.Outputs()
	return nil
}

// setEnvironment sets the command's variables. It fails if the server rejects a variable of the
// user, and only logs a warning if it rejects the previous outputs.
func (s *CommandState) setEnvironment(ctx context.Context, session *ssh.Session) error {
	for name, value := range s.Environment {
		if err := session.Setenv(name, value); err != nil {
			p.GetLogger(ctx).Error(refused(name))
			return fmt.Errorf("could not set environment variable %q: %w", name, err)
		}
	}
	if s.AddPreviousOutputInEnv != nil && !*s.AddPreviousOutputInEnv {
		return nil
	}
	previous := map[string]string{
		"PULUMI_COMMAND_STDOUT": s.Stdout, "PULUMI_COMMAND_STDERR": s.Stderr,
	}
	for name, value := range previous {
		if value == "" {
			continue
		}
		if err := session.Setenv(name, value); err != nil {
			p.GetLogger(ctx).Warning(refused(name))
		}
	}
	return nil
}

func refused(name string) string {
	return fmt.Sprintf("Unable to set '%s'. This only works if your SSH server is configured to accept "+
		"it with AcceptEnv; or write the variable into the command itself", name)
}
