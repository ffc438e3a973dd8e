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
	// requests leads to the command's stdin, answers comes from its stdout.
	requests, answers *os.File
	program           string
	command           *exec.Cmd
	words             tail
	// ended is closed when the command has exited.
	ended chan struct{}
}

// startProxy runs a ProxyCommand as ssh does: by the user's shell, with exec. The streams of the
// command are pipes, as ssh's are: with a socket as its stdin, bash believes that sshd has started
// it, and runs ~/.bashrc. The command gets EOF when this process exits.
func startProxy(command string) (net.Conn, error) {
	stdin, requests, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("ProxyCommand: %w", err)
	}
	answers, stdout, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("ProxyCommand: %w", errors.Join(err, stdin.Close(), requests.Close()))
	}
	// The command has its own duplicates of these files.
	defer func() { _, _ = stdin.Close(), stdout.Close() }()
	p := &proxy{requests: requests, answers: answers, ended: make(chan struct{})}
	p.program, _, _ = strings.Cut(command, " ")
	shell := cmp.Or(os.Getenv("SHELL"), "/bin/sh")
	p.command = exec.Command(shell, "-c", "exec "+command) //nolint:gosec,noctx // the command is the user's own; Close ends it
	p.command.Stdin, p.command.Stdout, p.command.Stderr = stdin, stdout, &p.words
	p.command.Env, p.command.WaitDelay = Environment(), proxyGrace
	// Ctrl-C at the terminal must not reach the command: this process stops the command itself.
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("ProxyCommand: %w", errors.Join(err, requests.Close(), answers.Close()))
	}
	go func() {
		_ = p.command.Wait() // The command's exit state is read later.
		close(p.ended)
	}()
	return p, nil
}

func (p *proxy) Read(b []byte) (int, error)  { return p.answers.Read(b) }
func (p *proxy) Write(b []byte) (int, error) { return p.requests.Write(b) }

// LocalAddr and RemoteAddr name the program, because pipes have no address.
func (p *proxy) LocalAddr() net.Addr  { return &net.UnixAddr{Name: p.program, Net: "pipe"} }
func (p *proxy) RemoteAddr() net.Addr { return p.LocalAddr() }

// SetDeadline implements net.Conn, as SetReadDeadline and SetWriteDeadline do.
func (p *proxy) SetDeadline(at time.Time) error {
	return errors.Join(p.SetReadDeadline(at), p.SetWriteDeadline(at))
}
func (p *proxy) SetReadDeadline(at time.Time) error  { return p.answers.SetReadDeadline(at) }
func (p *proxy) SetWriteDeadline(at time.Time) error { return p.requests.SetWriteDeadline(at) }

// Close stops the command: it closes its input, and sends SIGHUP as ssh does.
func (p *proxy) Close() error {
	err := errors.Join(p.requests.Close(), p.answers.Close())
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
