package remote

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// proxyInterval is the pause after a ProxyCommand that exited. It is long, because each attempt
	// starts processes on this machine.
	proxyInterval = time.Second
	// proxyGrace bounds how long a ProxyCommand may take to exit after its connection was closed,
	// so that its messages can be read.
	proxyGrace = 2 * time.Second
)

// proxy is a connection through a ProxyCommand.
type proxy struct {
	net.Conn
	program string
	command *exec.Cmd
	words   tail
	// ended is closed when the command has exited.
	ended chan struct{}
}

// startProxy runs a ProxyCommand as ssh does: by the user's shell, with exec. Both streams of the
// command are one socket, so the command gets EOF when this process exits.
func startProxy(command string) (net.Conn, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, fmt.Errorf("ProxyCommand: %w", err)
	}
	// FileConn and the command have duplicates.
	defer func() { _, _ = ours.Close(), theirs.Close() }()
	conn, err := net.FileConn(ours)
	if err != nil {
		return nil, fmt.Errorf("ProxyCommand: %w", err)
	}
	p := &proxy{Conn: conn, ended: make(chan struct{})}
	p.program, _, _ = strings.Cut(command, " ")
	shell := cmp.Or(os.Getenv("SHELL"), "/bin/sh")
	p.command = exec.Command(shell, "-c", "exec "+command) //nolint:gosec,noctx // the command is the user's own; Close ends it
	p.command.Stdin, p.command.Stdout, p.command.Stderr = theirs, theirs, &p.words
	p.command.Env, p.command.WaitDelay = Environment(), proxyGrace
	// An interrupt at the terminal must not reach the command: this process stops it in time.
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.command.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("ProxyCommand: %w", err), conn.Close())
	}
	go func() {
		_ = p.command.Wait() // The command's exit state is read later.
		close(p.ended)
	}()
	return p, nil
}

// socketPair returns both ends of a stream socket. Other child processes do not inherit them.
func socketPair() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	syscall.CloseOnExec(ends[0])
	syscall.CloseOnExec(ends[1])
	return os.NewFile(uintptr(ends[0]), "proxy"), os.NewFile(uintptr(ends[1]), "proxy"), nil
}

// Close stops the command: it closes its input, and sends SIGHUP as ssh does.
func (p *proxy) Close() error {
	err := p.Conn.Close()
	group := -p.command.Process.Pid
	_ = syscall.Kill(group, syscall.SIGHUP) // The command may have exited.
	go func() {
		select {
		case <-p.ended:
		case <-time.After(proxyGrace):
			_ = syscall.Kill(group, syscall.SIGKILL)
		}
	}()
	return err
}

// explain adds the command's error messages to the error of a failed login.
func (p *proxy) explain(err error) error {
	failed := &ProxyError{Program: p.program, how: "sshd did not answer through it"}
	// After a timeout, this process has killed the command.
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		select {
		case <-p.ended:
			code := p.command.ProcessState.ExitCode()
			failed.Missing = code == notExecutable || code == notFound
			failed.how = "it ended (" + p.command.ProcessState.String() + ") before sshd answered"
		case <-time.After(proxyGrace):
		}
	}
	failed.words = oneLine(p.words.String())
	return failed
}

// notExecutable is the shell's exit code for a program that cannot be executed.
const notExecutable = 126

// ProxyError reports that a ProxyCommand did not reach sshd.
type ProxyError struct {
	// Program is the first word of the command. The others are not shown, because they may be
	// private.
	Program string
	// Missing is true if this machine does not have the program. Waiting does not help.
	Missing    bool
	how, words string
}

func (e *ProxyError) Error() string {
	text := "ProxyCommand " + e.Program + ": " + e.how
	if e.words != "" {
		text += "; it says: " + e.words
	}
	return text
}

// Environment returns this process's environment without secrets, and without the variables that
// would make a child process part of the Pulumi run.
func Environment() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "STRATA_") || strings.HasPrefix(variable, "PULUMI_")
	})
}
