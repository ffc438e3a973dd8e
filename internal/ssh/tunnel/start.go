package tunnel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"strata/internal/pulumi/self"
	"strata/internal/ssh/remote"
)

// Command is the subcommand that serves a tunnel. It gets a Spec on stdin, and the keys in the
// environment. It prints readyLine when it accepts connections.
const (
	Command   = "tunnel-serve"
	readyLine = "ready\n"
)

// start starts the process of a tunnel, in a session of its own, so that it outlives the run and
// gets no interrupt. It returns when the login to the jump host has succeeded. The process fails if
// the port is taken: another tunnel was faster, or another program has the port.
func start(ctx context.Context, spec Spec, key []byte) error {
	if testing.Testing() {
		return errors.New("a test binary serves no tunnel")
	}
	executable, err := os.Executable()
	if err != nil {
		return fmt.Errorf("own executable: %w", err)
	}
	input, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	said, told, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = said.Close() }()
	command := exec.Command(executable, Command) //nolint:noctx // the process must outlive ctx
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(input), told, told
	command.Dir = "/" // so that the process holds no folder of the run
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	command.Env = append(remote.Environment(), self.SSHKey+"="+string(key))
	if err := keepToItself(); err != nil {
		return errors.Join(err, told.Close())
	}
	if err := command.Start(); err != nil {
		return errors.Join(err, told.Close())
	}
	_ = told.Close()                   // The process has its own copy.
	go func() { _ = command.Wait() }() // The pipe carries its messages.
	return report(ctx, said, command.Process)
}

// keepToItself prevents that processes which this one starts inherit its files. Otherwise a lock on
// an open file of the run's caller would be held as long as the tunnel runs.
func keepToItself() error {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return err
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	return nil
}

// report reads whether the process is ready. If it is not, it returns the reason of the process's
// end.
func report(ctx context.Context, said *os.File, process *os.Process) error {
	// The read below ends when the process ends.
	stop := context.AfterFunc(ctx, func() { _ = process.Kill() })
	defer stop()
	var all strings.Builder
	part := make([]byte, 4096)
	for !strings.HasSuffix(all.String(), readyLine) {
		n, err := said.Read(part)
		all.Write(part[:n])
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !errors.Is(err, io.EOF) {
			return err
		}
		if strings.Contains(all.String(), inUse) {
			return nil
		}
		return errors.New(strings.TrimPrefix(strings.TrimSpace(all.String()), "strata: "))
	}
	return nil
}

// inUse is the system's error text for a port that is taken.
var inUse = syscall.EADDRINUSE.Error()

// Main runs the process: it serves the tunnel until it ends, and prints to out when it accepts
// connections.
func Main(ctx context.Context, spec Spec, key []byte, out io.Writer) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", spec.Address())
	if err != nil {
		return err
	}
	return Serve(ctx, listener, spec, key, Idle, func() { _, _ = io.WriteString(out, readyLine) })
}
