package tunnel

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"sync"
	"time"

	"github.com/armon/go-socks5"
)

// Idle is for how long a tunnel that nothing uses stays: a run's next step, or the next command of a person, finds it there.
const Idle = 5 * time.Minute

// greetLimit bounds the time from a connection to its first byte.
const greetLimit = 10 * time.Second

// server serves one tunnel.
type server struct {
	digest string
	last   string
	host   *jumpHost
	socks  *socks5.Server
	idle   *idle
	end    context.CancelFunc
}

// Serve answers at a listener, which it closes, until ctx ends, a program that needs the port for another way asks it to, or nothing has used it
// for a time. ready is called when the jump host has been logged in to. Its error is why that was not possible.
func Serve(ctx context.Context, listener net.Listener, spec Spec, key []byte, idleFor time.Duration, ready func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := newServer(spec, key, cancel, idleFor)
	if err != nil {
		return err
	}
	defer s.host.close()
	defer context.AfterFunc(ctx, func() { _ = listener.Close() })()
	var served sync.WaitGroup
	served.Go(func() { s.accept(ctx, listener) })
	if _, err := s.host.login(ctx); err != nil {
		cancel()
		served.Wait()
		return err
	}
	ready()
	served.Wait()
	return nil
}

func newServer(spec Spec, key []byte, end context.CancelFunc, idleFor time.Duration) (*server, error) {
	digest, err := spec.digest()
	if err != nil {
		return nil, err
	}
	s := &server{digest: digest, last: spec.last(), host: newJumpHost(spec, key), end: end, idle: newIdle(idleFor, end)}
	s.socks, err = socks5.New(&socks5.Config{
		Resolver: farEnd{},
		Dial:     func(ctx context.Context, _, address string) (net.Conn, error) { return s.host.connect(ctx, address) },
		Logger:   log.New(io.Discard, "", 0), // who connects is told, and asks why
	})
	return s, err
}

// farEnd leaves names to the jump host, which knows its network.
type farEnd struct{}

func (farEnd) Resolve(ctx context.Context, _ string) (context.Context, net.IP, error) {
	return ctx, nil, nil
}

func (s *server) accept(ctx context.Context, listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			if ctx.Err() == nil && !errors.Is(err, net.ErrClosed) {
				s.end()
			}
			return
		}
		s.idle.begin()
		go func() {
			defer s.idle.done()
			defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
			s.serve(conn)
		}()
	}
}

// serve is one connection: one of SOCKS, or one of Strata's own, which begins with another byte.
func (s *server) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }() // The other end sees it.
	said := bufio.NewReader(conn)
	_ = conn.SetReadDeadline(time.Now().Add(greetLimit))
	first, err := said.Peek(1)
	if err != nil {
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	if first[0] == greeting[0] {
		s.greet(conn, said)
		return
	}
	_ = s.socks.ServeConn(peeked{conn, said}) // It has told the other end.
}

// peeked is a connection of which something has been read.
type peeked struct {
	net.Conn
	said *bufio.Reader
}

func (p peeked) Read(b []byte) (int, error) { return p.said.Read(b) }

// CloseWrite passes on that the far end has nothing more to say.
func (p peeked) CloseWrite() error {
	if half, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// greet says what this tunnel is, and then holds it until the other end goes or asks for its end.
func (s *server) greet(conn net.Conn, said *bufio.Reader) {
	for {
		line, err := said.ReadString('\n')
		switch {
		case err != nil:
			return
		case line == endLine:
			s.end()
			return
		case line != greeting:
			return
		}
		answer, err := json.Marshal(answer{Digest: s.digest, Last: s.last, Uses: s.idle.uses() - 1, Trouble: s.host.why()})
		if err != nil {
			return
		}
		if _, err := fmt.Fprintf(conn, "%s\n", answer); err != nil {
			return
		}
	}
}
