package tunnel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/armon/go-socks5"
)

// Idle is the time for which an unused tunnel keeps running. So the next step of a run, or the next
// command, can still use it.
const Idle = 5 * time.Minute

// greetLimit bounds how long a new connection may send nothing.
const greetLimit = 10 * time.Second

// everyUse is passed to endWith to end the tunnel whatever its number of users.
const everyUse = math.MaxInt

// server serves one tunnel.
type server struct {
	digest, access, last string
	host                 *jumpHost
	socks                *socks5.Server
	idle                 *idle
	end                  context.CancelFunc
}

// Serve serves a tunnel at a listener, and closes the listener. It calls ready once the login to
// the jump host has succeeded; if the login fails, it returns the reason. It returns when ctx ends,
// or after idleFor without users. It also returns if another process requests that, because it
// needs the port for another tunnel, or has keys that work.
func Serve(
	ctx context.Context, listener net.Listener, spec Spec, key []byte, idleFor time.Duration,
	ready func(),
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := newServer(ctx, spec, key, cancel, idleFor)
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
		return fmt.Errorf("tunnel: %w", err)
	}
	ready()
	served.Wait()
	return nil
}

func newServer(
	ctx context.Context, spec Spec, key []byte, end context.CancelFunc, idleFor time.Duration,
) (*server, error) {
	digest, err := spec.digest()
	if err != nil {
		return nil, err
	}
	access, err := accessOf(spec, key)
	if err != nil {
		return nil, err
	}
	s := &server{digest: digest, access: access, last: spec.last(),
		host: newJumpHost(ctx, spec, key),
		end:  end, idle: newIdle(idleFor, end)}
	s.socks, err = socks5.New(&socks5.Config{
		Resolver: farEnd{},
		Dial:     s.dial,
		Logger:   log.New(io.Discard, "", 0), // the client gets the error
	})
	return s, err
}

// farEnd leaves the resolution of names to the jump host, which knows the names in its network.
type farEnd struct{}

func (farEnd) Resolve(ctx context.Context, _ string) (context.Context, net.IP, error) {
	return ctx, nil, nil
}

// dial connects for a SOCKS client. go-socks5 selects its reply by words in the error (request.go,
// handleConnect). "refused" means that the address refused, and "network is unreachable" that the
// jump host failed. Every other error is "host unreachable".
func (s *server) dial(ctx context.Context, _, address string) (net.Conn, error) {
	conn, err := s.host.connect(ctx, address)
	var host *jumpHostError
	switch {
	case err == nil:
		return conn, nil
	case errors.As(err, &host):
		return nil, syscall.ENETUNREACH
	case errors.Is(err, syscall.ECONNREFUSED):
		return nil, syscall.ECONNREFUSED
	}
	return nil, syscall.EHOSTUNREACH
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
		if !s.idle.begin() {
			_ = conn.Close() // The tunnel shuts down, and the client starts a new one.
			continue
		}
		go func() {
			defer s.idle.done()
			defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
			s.serve(ctx, conn)
		}()
	}
}

// serve serves one connection. A Strata client's first byte differs from that of a SOCKS client.
func (s *server) serve(ctx context.Context, conn net.Conn) {
	defer func() { _ = conn.Close() }() // The client notices it.
	near := newBufferedConn(conn)
	_ = conn.SetReadDeadline(time.Now().Add(greetLimit))
	first, err := near.in.Peek(1)
	if err != nil {
		return
	}
	if first[0] != greeting[0] {
		_ = conn.SetReadDeadline(time.Time{})
		_ = s.socks.ServeConn(near) // ServeConn has sent the error to the client.
		return
	}
	line, err := near.in.ReadString('\n')
	_ = conn.SetReadDeadline(time.Time{})
	if err != nil {
		return
	}
	if request, found := strings.CutPrefix(line, connectWord); found {
		s.forward(ctx, near, request)
		return
	}
	for s.answerLine(conn, line) {
		if line, err = near.in.ReadString('\n'); err != nil {
			return
		}
	}
}

// answerLine answers one line of a Strata client. It returns false if the connection must be
// closed.
func (s *server) answerLine(conn net.Conn, line string) bool {
	switch line {
	case greeting:
		s.host.begin() // start a login, so that the caller can wait for its result
	case endLine:
		if s.idle.endWith(1) { // another run may have begun to use it since
			s.end()
			return false
		}
	case replaceLine:
		if trouble, _ := s.host.state(); trouble != "" {
			s.idle.endWith(everyUse)
			s.end()
			return false
		}
	default:
		return false
	}
	trouble, pending := s.host.state()
	said := answer{Digest: s.digest, Last: s.last, Access: s.access, Uses: s.idle.uses() - 1,
		Trouble: trouble, Pending: pending}
	return json.NewEncoder(conn).Encode(said) == nil
}
