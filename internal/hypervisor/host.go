package hypervisor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"strata/internal/ssh/remote"
)

// Host runs scripts on the hypervisor as root.
type Host interface {
	// Run runs a POSIX shell script with size bytes of stdin, and returns its standard output. It
	// kills the script when ctx ends.
	Run(ctx context.Context, script string, stdin io.Reader, size int64) (string, error)
	// String names the hypervisor in messages.
	String() string
	Close() error
}

// dialTimeout bounds the connection to a hypervisor. A hypervisor does not boot during a run, so
// one that does not answer in this time is down.
const dialTimeout = 20 * time.Second

// Connect connects to the hypervisor: this machine, or one over SSH with a pinned host key.
func Connect(ctx context.Context, target remote.Target, key []byte) (Host, error) {
	if target.Address == "" {
		return local{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	client, err := remote.Dial(ctx, target, key)
	if err != nil {
		return nil, fmt.Errorf(
			"hypervisor %s: %w; is it on, and is strata:hosts.hypervisor right? nothing of it was changed", target, err)
	}
	return distant{client}, nil
}

// distant is a hypervisor over SSH.
type distant struct{ *remote.Client }

func (h distant) String() string { return "hypervisor " + h.Target().String() }

func (h distant) Run(
	ctx context.Context, script string, stdin io.Reader, size int64,
) (string, error) {
	result, err := h.RunFrom(ctx, script, stdin, size)
	return string(result.Stdout), err
}

// local is this machine.
type local struct{}

func (local) String() string { return "this machine" }

func (local) Close() error { return nil }

func (local) Run(ctx context.Context, script string, stdin io.Reader, size int64) (string, error) {
	// The script is an argument: it never contains a secret.
	command := exec.CommandContext(ctx, "sh", "-c", script)
	command.Stdin = io.LimitReader(stdin, size)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return stdout.String(), ctx.Err()
	case errors.As(err, &exit):
		return stdout.String(), fmt.Errorf("exit code %d on this machine: %s", exit.ExitCode(),
			strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), err
}
