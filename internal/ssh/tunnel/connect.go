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
	"time"
)

// anyTunnel is the DIGEST of a client that does not know the tunnel's Spec. Strata's own clients
// send a line, "strata-connect DIGEST ADDRESS", because SOCKS replies have only eight error codes.
// If the tunnel's answer has no error, the tunnel then forwards the connection to ADDRESS.
const anyTunnel = "-"

// farEndErrors maps the values of answer.FarEnd to the errors of a local dial.
var farEndErrors = map[string]error{
	"refused": syscall.ECONNREFUSED, "unreachable": syscall.EHOSTUNREACH,
	"timeout": os.ErrDeadlineExceeded,
}

// fill stores the error of a connection in the answer.
func (a *answer) fill(err error) {
	var host *jumpHostError
	if errors.As(err, &host) {
		a.Trouble = host.Error()
		return
	}
	a.FarEnd = err.Error()
	for word, known := range farEndErrors {
		if errors.Is(err, known) {
			a.FarEnd = word
		}
	}
}

// error converts the answer to an error for a client that connects to an address through the
// tunnel; nil if the connection was made. through is the tunnel's own address.
func (a answer) error(network, through, digest string) error {
	switch {
	case digest != anyTunnel && digest != a.Digest:
		return &DownError{Address: through, Why: takenBy(through, a.Last)}
	case a.Trouble != "":
		return &DownError{Address: through, Why: a.Trouble}
	case a.FarEnd == "":
		return nil
	}
	if known := farEndErrors[a.FarEnd]; known != nil {
		return &net.OpError{Op: "dial", Net: network, Err: known}
	}
	return fmt.Errorf("jump host %s: %s", a.Last, a.FarEnd)
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
func (s *server) forward(ctx context.Context, near bufferedConn, request string) {
	digest, address, _ := strings.Cut(strings.TrimSpace(request), " ")
	said := answer{Digest: s.digest, Last: s.last}
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

// bufferedConn is a connection of which some bytes may already be in a buffer.
type bufferedConn struct {
	net.Conn
	in *bufio.Reader
}

func newBufferedConn(conn net.Conn) bufferedConn {
	return bufferedConn{conn, bufio.NewReader(conn)}
}

func (c bufferedConn) Read(b []byte) (int, error) { return c.in.Read(b) }

// CloseWrite closes the sending half, so that the other end reads EOF.
func (c bufferedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// ask sends a line to the tunnel and reads its answer.
func (c bufferedConn) ask(ctx context.Context, line string) (found answer, err error) {
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	defer func() {
		if stop() {
			_ = c.SetDeadline(time.Time{})
		} else if err == nil {
			err = os.ErrDeadlineExceeded // the deadline makes the connection useless
		}
	}()
	if _, err := io.WriteString(c.Conn, line); err != nil {
		return found, err
	}
	text, err := c.in.ReadBytes('\n')
	if err != nil {
		return found, err
	}
	return found, json.Unmarshal(text, &found)
}
