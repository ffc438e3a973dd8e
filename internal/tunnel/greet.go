package tunnel

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"
)

// What Strata says to a tunnel; no client of SOCKS begins so.
const (
	greeting = "strata-tunnel\n"
	endLine  = "end\n"
)

// answer is what a tunnel says of itself.
type answer struct {
	// Digest is of its Spec; Last is the jump host that connections come out of.
	Digest string `json:"digest"`
	Last   string `json:"last"`
	// Uses is how many others use it now.
	Uses int `json:"uses"`
	// Trouble is why the jump host cannot be used; empty where it can.
	Trouble string `json:"trouble,omitempty"`
}

// localLimit bounds what happens on this machine only.
const localLimit = 2 * time.Second

// errAbsent says that nothing listens at the port.
var errAbsent = errors.New("nothing listens there")

// Lease holds a tunnel: it does not end for idleness while there is one.
type Lease struct {
	conn net.Conn
	said *bufio.Reader
}

// Close gives the lease back. A nil Lease is one of no tunnel.
func (l *Lease) Close() {
	if l != nil {
		_ = l.conn.Close() // It is how the other end is told.
	}
}

// wait returns when the tunnel has ended, or the lease was closed.
func (l *Lease) wait() { _, _ = l.said.ReadByte() }

// greet asks what listens at an address. errAbsent: nothing does.
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
	found, err := lease.ask()
	if err != nil {
		lease.Close()
		return nil, answer{}, fmt.Errorf("port %s of this machine is another program's (%w); end it, or set another port: strata:hosts.ssh.dynamicForward", address, err)
	}
	return lease, found, nil
}

// ask asks the tunnel what it is.
func (l *Lease) ask() (answer, error) {
	_ = l.conn.SetDeadline(time.Now().Add(localLimit))
	defer func() { _ = l.conn.SetDeadline(time.Time{}) }()
	var found answer
	if _, err := l.conn.Write([]byte(greeting)); err != nil {
		return found, err
	}
	line, err := l.said.ReadBytes('\n')
	if err != nil {
		return found, err
	}
	return found, json.Unmarshal(line, &found)
}

// why is what a tunnel says about its jump host; empty where it says nothing.
func why(ctx context.Context, address string) string {
	lease, found, err := greet(ctx, address)
	if err != nil {
		return ""
	}
	lease.Close()
	return found.Trouble
}
