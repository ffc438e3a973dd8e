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

// SOCKS tells its client only one of eight numbers if it cannot connect. So Strata's own
// connections begin with a line instead, "strata-connect DIGEST ADDRESS". The digest is anyTunnel
// if the Spec is unknown. The answer is a line, too (reply). After a good answer, the connection
// leads to the far end.
const anyTunnel = "-"

// reply describes a connection, or the reason why it was not made.
type reply struct {
	// Digest and Last identify the tunnel.
	Digest string `json:"digest"`
	Last   string `json:"last"`
	// Trouble is the reason why the jump host cannot be used.
	Trouble string `json:"trouble,omitempty"`
	// FarEnd is the jump host's error about the address: a key of farEndErrors, or its own message.
	FarEnd string `json:"farEnd,omitempty"`
}

// farEndErrors are the errors of a local dial, by the jump host's error about an address.
var farEndErrors = map[string]error{
	"refused": syscall.ECONNREFUSED, "unreachable": syscall.EHOSTUNREACH,
	"timeout": os.ErrDeadlineExceeded,
}

// fill sets the reason why the jump host did not connect.
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

// error returns the error of a reply, for a client that connects to an address through the tunnel.
// through is the tunnel's own address.
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

// takenBy returns the message that another tunnel uses the port.
func takenBy(address, last string) string {
	return fmt.Sprintf(
		"port %s of this machine has a tunnel to %s, which is in use; each stack needs a port of "+
			"its own: strata:hosts.ssh.dynamicForward",
		address[strings.LastIndex(address, ":")+1:], last)
}

// forward serves one connection of Strata's own; request is the text after connectWord.
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
		defer func() { _ = far.Close() }() // The other end notices it.
	}
	if json.NewEncoder(near).Encode(said) == nil && far != nil {
		pipe(near, far)
	}
}

// pipe copies in both directions until both ends have ended, or one fails.
func pipe(near, far net.Conn) {
	ended := make(chan error, 2)
	pass := func(to, from net.Conn) {
		_, err := io.Copy(to, from)
		if half, ok := to.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite() // If this fails, the connection has ended.
		}
		ended <- err
	}
	go pass(near, far)
	go pass(far, near)
	if <-ended == nil {
		<-ended
	}
}

// peeked is a connection whose first bytes have been read.
type peeked struct {
	net.Conn
	said *bufio.Reader
}

func (p peeked) Read(b []byte) (int, error) { return p.said.Read(b) }

// CloseWrite passes on that the far end has ended its output.
func (p peeked) CloseWrite() error {
	if half, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
