package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// AgentVariable is the environment variable that holds the path of ssh-agent's socket.
const AgentVariable = "SSH_AUTH_SOCK"

const (
	// agentListTimeout bounds the listing of the agent's keys, which waits for neither a user nor a
	// hardware key.
	agentListTimeout = 3 * time.Second
	// agentTimeout bounds a signature, which may wait for the touch of a hardware key. It is
	// shorter than loginTimeout: otherwise the error would blame sshd or the jump host for a silent
	// agent.
	agentTimeout = 9 * time.Second
)

// ErrAgent reports that the ssh-agent cannot be used. A retry does not help, or has not helped for
// agentGrace.
var ErrAgent = errors.New("ssh-agent cannot be used")

// errAgentSilent marks an ErrAgent that may resolve by itself. An agent serves one request after
// the other, and may wait for a touch or a prompt.
var errAgentSilent = errors.New("the agent there does not answer")

// agentSession is a connection to the ssh-agent. The signers that it returns work until the
// connection is closed.
type agentSession struct {
	// path is the path of the agent's socket. name is the name of the setting that has this path.
	path, name string
	wire       *agentWire
	// stop releases the callback that closes the connection when the context ends.
	stop func() bool
}

// dialAgent connects to the ssh-agent at socket, or at SSH_AUTH_SOCK if socket is empty. The
// session is closed when ctx ends.
func dialAgent(ctx context.Context, socket string) (*agentSession, error) {
	s := &agentSession{path: socket, name: "IdentityAgent"}
	if socket == "" {
		s.path, s.name = os.Getenv(AgentVariable), AgentVariable
	}
	if s.path == "" {
		return nil, fmt.Errorf(
			"%w: %s is not set; start one (eval $(ssh-agent)), add the key (ssh-add) and run this from there",
			ErrAgent, AgentVariable)
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", s.path)
	switch {
	// EAGAIN: the queue of waiting connections is full.
	case errors.Is(err, syscall.EAGAIN), err != nil && ctx.Err() != nil:
		return nil, s.silent("it accepts no connection")
	case err != nil:
		return nil, fmt.Errorf(
			"%w: %s is %s and nothing answers there (%w); it is left from a session that ended: "+
				"log in again, or start a new agent",
			ErrAgent, s.name, s.path, reason(err))
	}
	s.wire = &agentWire{conn: conn, limit: agentListTimeout}
	s.stop = context.AfterFunc(ctx, func() { _ = conn.Close() })
	return s, nil
}

// signers returns the agent's keys.
func (s *agentSession) signers() ([]ssh.Signer, error) {
	list, err := agent.NewClient(s.wire).Signers()
	if trouble := s.trouble("it listed no keys"); trouble != nil {
		return nil, trouble
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s at %s does not list its keys: %w", ErrAgent, s.name,
			s.path, err)
	}
	s.wire.limit = agentTimeout
	return list, nil
}

// trouble returns the error of a session that failed during a request; nil if none failed. missing
// says what the agent did not do.
func (s *agentSession) trouble(missing string) error {
	switch {
	case s.wire.failed == nil:
		return nil
	case errors.Is(s.wire.failed, os.ErrDeadlineExceeded), errors.Is(s.wire.failed, net.ErrClosed):
		return s.silent(fmt.Sprintf("%s within %s", missing,
			time.Since(s.wire.asked).Round(100*time.Millisecond)))
	}
	return fmt.Errorf("%w: %s is %s and the agent there broke off: %s (%w); start a new agent, or log in again",
		ErrAgent, s.name, s.path, missing, reason(s.wire.failed))
}

// silent returns the error for an agent that does not react in time. missing says what the agent
// did not do.
func (s *agentSession) silent(missing string) error {
	return fmt.Errorf(
		"%w: %s is %s and %w: %s; touch the hardware key or answer the prompt if it waits for "+
			"that, otherwise unlock it or start a new one (ssh-add -l must answer)",
		ErrAgent, s.name, s.path, errAgentSilent, missing)
}

// explainRefusal returns the error for an agent that refuses a signature.
func (s *agentSession) explainRefusal(cause error) error {
	return fmt.Errorf("%w: %s is %s and the agent there refused to sign with %w; confirm its prompt "+
		"(ssh-add -c), or add the key without destinations (ssh-add -h), which Strata does not "+
		"support", ErrAgent, s.name, s.path, cause)
}

func (s *agentSession) close() {
	s.stop()
	_ = s.wire.conn.Close() // The agent has answered, or it never will.
}

// agentWire stores the error that ended the connection, because the agent client's own error only
// contains its text. agentWire has no Close method: with one, the client would start a goroutine
// that never exits if an agent sends too much. The agent must answer each request, which is one
// write, within limit.
type agentWire struct {
	conn   net.Conn
	limit  time.Duration
	asked  time.Time
	failed error
}

func (w *agentWire) Read(p []byte) (int, error) {
	n, err := w.conn.Read(p)
	if err != nil {
		w.failed = err
	}
	return n, err
}

func (w *agentWire) Write(p []byte) (int, error) {
	w.asked = time.Now()
	_ = w.conn.SetDeadline(w.asked.Add(w.limit)) // If it fails, so does the write.
	n, err := w.conn.Write(p)
	if err != nil {
		w.failed = err
	}
	return n, err
}

// reason returns the cause of a network error, without the address.
func reason(err error) error {
	var operation *net.OpError
	if errors.As(err, &operation) {
		return operation.Err
	}
	return err
}
