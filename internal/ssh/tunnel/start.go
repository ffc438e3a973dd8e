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

// Command is the subcommand that serves a tunnel. It reads a Spec from stdin and the keys from the
// environment. It prints readyLine once the login to the jump host has succeeded.
const (
	Command   = "tunnel-serve"
	readyLine = "ready\n"
)

// start starts the process of a tunnel, and returns once its login to the jump host has succeeded.
// The process has a session of its own, so that it outlives the run and gets no interrupt from the
// terminal. If the port is in use, start returns nil, and the caller finds the other tunnel or
// program there.
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
	command.Dir = "/" // so that it keeps no folder of the run busy
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	command.Env = append(remote.Environment(), self.SSHKey+"="+string(key))
	if err := keepToItself(); err != nil {
		return errors.Join(err, told.Close())
	}
	if err := command.Start(); err != nil {
		return errors.Join(err, told.Close())
	}
	_ = told.Close()                   // The process has a duplicate.
	go func() { _ = command.Wait() }() // report reads its messages from the pipe.
	return report(ctx, said, command.Process)
}

// keepToItself makes future child processes close this process's files. Otherwise the tunnel would
// inherit a lock file of the run's caller, and hold the lock as long as it runs.
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

// report waits until the process is ready. If the process exits first, report returns its error
// message; nil if the port is in use.
func report(ctx context.Context, said *os.File, process *os.Process) error {
	// If ctx ends, the process is killed, which ends the read below.
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

// inUse is the operating system's error text for a port that is in use.
var inUse = syscall.EADDRINUSE.Error()

// Main serves a tunnel in this process, and prints readyLine to out once the login has succeeded.
func Main(ctx context.Context, spec Spec, key []byte, out io.Writer) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", spec.Address())
	if err != nil {
		return err
	}
	return Serve(ctx, listener, spec, key, Idle, func() { _, _ = io.WriteString(out, readyLine) })
}
