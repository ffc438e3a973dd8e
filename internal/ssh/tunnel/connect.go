package tunnel

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
)

// anyTunnel is sent as DIGEST by a client that does not know the tunnel's Spec. Strata's own
// clients do not use SOCKS, because its replies have only eight error codes. They begin with a
// line, "strata-connect DIGEST ADDRESS". The tunnel answers with a line, too (reply). If reply has
// no error, the connection is then forwarded to ADDRESS.
const anyTunnel = "-"

// reply answers a request to connect: it identifies the tunnel, and has the error if there was one.
type reply struct {
	// Digest is the digest of the tunnel's Spec. Last is the jump host that connects to the
	// address.
	Digest string `json:"digest"`
	Last   string `json:"last"`
	// Trouble is the reason why the jump host cannot be used.
	Trouble string `json:"trouble,omitempty"`
	// FarEnd is the error of the jump host's connection to the address: a key of farEndErrors, or
	// another message of the jump host.
	FarEnd string `json:"farEnd,omitempty"`
}

// farEndErrors maps the values of reply.FarEnd to the errors of a local dial.
var farEndErrors = map[string]error{
	"refused": syscall.ECONNREFUSED, "unreachable": syscall.EHOSTUNREACH,
	"timeout": os.ErrDeadlineExceeded,
}

// fill stores the error of a connection in the reply.
func (r *reply) fill(err error) {
	var host *jumpHostError
	if errors.As(err, &host) {
		r.Trouble = host.Error()
		return
	}
	r.FarEnd = err.Error()
	for word, known := range farEndErrors {
		if errors.Is(err, known) {
			r.FarEnd = word
		}
	}
}

// error converts the reply to an error for a client that connects to an address through the tunnel;
// nil if the connection was made. through is the tunnel's own address.
func (r reply) error(network, through, digest string) error {
	switch {
	case digest != anyTunnel && digest != r.Digest:
		return &DownError{Address: through, Why: takenBy(through, r.Last)}
	case r.Trouble != "":
		return &DownError{Address: through, Why: r.Trouble}
	case r.FarEnd == "":
		return nil
	}
	if known := farEndErrors[r.FarEnd]; known != nil {
		return &net.OpError{Op: "dial", Net: network, Err: known}
	}
	return fmt.Errorf("jump host %s: %s", r.Last, r.FarEnd)
}

// takenBy returns the error text for a port that another tunnel uses.
func takenBy(address, last string) string {
	return fmt.Sprintf(
		"port %s of this machine has a tunnel to %s, which is in use; each stack needs a port of "+
			"its own: strata:hosts.ssh.dynamicForward",
		address[strings.LastIndex(address, ":")+1:], last)
}

// forward serves one connection of a Strata client. request is the first line of the connection,
// without connectWord.
func (s *server) forward(ctx context.Context, near peeked, request string) {
	digest, address, _ := strings.Cut(strings.TrimSpace(request), " ")
	said := reply{Digest: s.digest, Last: s.last}
	var far net.Conn
	if digest == s.digest || digest == anyTunnel {
		var err error
		if far, err = s.host.connect(ctx, address); err != nil {
			said.fill(err)
		}
	}
	if far != nil {
		defer func() { _ = far.Close() }() // The far end notices it.
	}
	if json.NewEncoder(near).Encode(said) == nil && far != nil {
		pipe(near, far)
	}
}

// pipe copies in both directions until both have reached EOF, or one fails.
func pipe(near, far net.Conn) {
	ended := make(chan error, 2)
	pass := func(to, from net.Conn) {
		_, err := io.Copy(to, from)
		if half, ok := to.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite() // It fails only if the connection is closed.
		}
		ended <- err
	}
	go pass(near, far)
	go pass(far, near)
	if <-ended == nil {
		<-ended
	}
}

// peeked is a connection of which some bytes are already in a buffer.
type peeked struct {
	net.Conn
	said *bufio.Reader
}

func (p peeked) Read(b []byte) (int, error) { return p.said.Read(b) }

// CloseWrite closes the sending half, so that the other end reads EOF.
func (p peeked) CloseWrite() error {
	if half, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
