package tunnel

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// Strata's lines to a tunnel. No client of SOCKS begins with them. Strata sends greeting, and may
// then request the tunnel's end. The tunnel obeys endLine if no other run uses it, and replaceLine
// if the jump host cannot be used. connectWord begins a connection (connect.go).
const (
	greeting    = "strata-tunnel\n"
	endLine     = "end\n"
	replaceLine = "replace\n"
	connectWord = "strata-connect "
)

// answer holds a tunnel's description of itself.
type answer struct {
	// Digest is the digest of the tunnel's Spec. Last is the jump host that connections leave from.
	Digest string `json:"digest"`
	Last   string `json:"last"`
	// Access identifies the keys with which the tunnel logs in (accessOf).
	Access string `json:"access"`
	// Uses counts the other current users.
	Uses int `json:"uses"`
	// Trouble is the reason why the jump host cannot be used; empty if it can. Pending is true
	// during the login.
	Trouble string `json:"trouble,omitempty"`
	Pending bool   `json:"pending,omitempty"`
}

const (
	// localLimit bounds requests within this machine.
	localLimit = 2 * time.Second
	// askAgain is the pause between two checks of a state that lasts a moment.
	askAgain = 20 * time.Millisecond
)

// errAbsent reports that nothing listens at the port.
var errAbsent = errors.New("nothing listens there")

// Lease holds a tunnel open: a tunnel does not end for idleness while a lease exists.
type Lease struct {
	conn net.Conn
	said *bufio.Reader
}

// Close releases the lease. A nil Lease belongs to no tunnel.
func (l *Lease) Close() {
	if l != nil {
		_ = l.conn.Close() // This tells the other end.
	}
}

// wait returns when the tunnel has ended, or the lease was closed.
func (l *Lease) wait() { _, _ = l.said.ReadByte() }

// greet greets the listener at an address. It fails with errAbsent if there is none.
func greet(ctx context.Context, address string) (*Lease, answer, error) {
	ctx, cancel := context.WithTimeout(ctx, localLimit)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil, answer{}, errAbsent
	}
	if err != nil {
		return nil, answer{}, err
	}
	lease := &Lease{conn: conn, said: bufio.NewReader(conn)}
	limit, _ := ctx.Deadline()
	found, err := lease.ask(greeting, limit)
	if err != nil {
		lease.Close()
		return nil, answer{}, err
	}
	return lease, found, nil
}

// ask sends a line to the tunnel, which answers with its description.
func (l *Lease) ask(line string, limit time.Time) (answer, error) {
	_ = l.conn.SetDeadline(limit)
	defer func() { _ = l.conn.SetDeadline(time.Time{}) }()
	var found answer
	if _, err := io.WriteString(l.conn, line); err != nil {
		return found, err
	}
	text, err := l.said.ReadBytes('\n')
	if err != nil {
		return found, err
	}
	return found, json.Unmarshal(text, &found)
}

// awaitAnswer greets the listener at an address, and waits until its answer is final. A tunnel that
// is ending is soon absent, and a running login ends. enough reports whether an answer needs no
// wait for a login.
func awaitAnswer(
	ctx context.Context, address string, enough func(answer) bool,
) (*Lease, answer, error) {
	ctx, cancel := context.WithTimeout(ctx, loginLimit)
	defer cancel()
	var lease *Lease
	var found answer
	var err error
	for range 3 {
		if lease, found, err = greet(ctx, address); err == nil || !hungUp(err) {
			break
		}
		_ = pause(ctx)
	}
	switch {
	case errors.Is(err, errAbsent):
		return nil, found, err
	case err != nil:
		return nil, found, fmt.Errorf(
			"port %s of this machine is another program's (%w); end it, or set another port: "+
				"strata:hosts.ssh.dynamicForward", address, err)
	}
	for found.Pending && !enough(found) && pause(ctx) == nil {
		if found, err = lease.ask(greeting, time.Now().Add(localLimit)); err != nil {
			lease.Close()
			return nil, answer{}, errAbsent // The tunnel has ended, because the jump host refused its login.
		}
	}
	return lease, found, nil
}

// hungUp reports whether the other end has closed the connection.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE)
}

// pause waits a moment. Its error is the end of ctx.
func pause(ctx context.Context) error {
	return wait.PollUntilContextCancel(ctx, askAgain, false,
		func(context.Context) (bool, error) { return true, nil })
}
