package sshtest

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"strata/internal/ssh/remote"
)

// Handler handles one script: it writes the script's output and returns its exit code.
type Handler func(call Call) int

// Server is an SSH server on a loopback port.
type Server struct {
	// Handler handles scripts in place of the shell, once the shell has started them. If nil, the
	// shell executes them.
	Handler Handler
	// Shell is the user's login shell with its arguments; the server appends -c and a command line.
	// Default sh.
	Shell []string
	// Sudo is the body of the script that replaces sudo, for users other than root. The default
	// needs no password.
	Sudo string
	// Env is added to the environment of commands that the shell runs.
	Env []string
	// Login decides who may log in, like PublicKeyCallback of an ssh.ServerConfig. Default: User
	// with the PrivateKey.
	Login func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error)
	// Configure changes the server's settings before each login, for example its algorithms.
	// Optional.
	Configure func(*ssh.ServerConfig)
	// User is the only user that may log in. Default root.
	User string
	// Forwards makes the server forward connections, as a jump host does. Default false.
	Forwards bool
	// Swallow is an address to which connections get no answer, like behind a firewall that drops
	// packets. Default none.
	Swallow string
	// MaxSessions is sshd's setting: the number of sessions that a connection may have at a time. A
	// session counts for a while after its end. Default 0, which is no limit; -1 allows none.
	MaxSessions int
	// StartsNothing makes the server refuse all commands, like an sshd that cannot fork. Default
	// false.
	StartsNothing bool
	// Dropped is the number of first connections to close silently, and Refused the number of keys
	// to refuse after that. A booting host without users behaves so. Default 0.
	Dropped, Refused int

	hostKey  ssh.Signer
	accepted ssh.PublicKey
	login64  []byte
	folder   string
	listener net.Listener

	mutex    sync.Mutex
	commands []string
	conns    []net.Conn
	silent   bool
	onward   []string
	open     int
}

// Start starts a server that stops with the test. Change its fields before the first connection.
func Start(t *testing.T) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := New(t)
	server.Serve(t, listener)
	return server
}

// New returns a server that does not listen yet, for a host that is still booting.
func New(t *testing.T) *Server {
	t.Helper()
	_, signer := NewKey(t)
	pemKey, login := NewKey(t)
	return &Server{hostKey: signer, accepted: login.PublicKey(), login64: pemKey,
		folder: t.TempDir(), User: "root"}
}

// Serve accepts connections on listener until the test ends.
func (s *Server) Serve(t *testing.T, listener net.Listener) {
	t.Helper()
	s.listener = listener
	t.Cleanup(func() {
		_ = listener.Close()
		s.Cut()
	})
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
}

// NewKey generates a key pair and returns the private key, as PEM and as a signer.
func NewKey(t *testing.T) ([]byte, ssh.Signer) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	signer, err := ssh.NewSignerFromKey(private)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	require.NoError(t, err)
	return pem.EncodeToMemory(block), signer
}

// Target returns the server as a target, with its host key as the pin.
func (s *Server) Target() remote.Target {
	s.mutex.Lock() // The test has set the fields before this, and connections read them after it.
	defer s.mutex.Unlock()
	address := s.listener.Addr().(*net.TCPAddr)
	return remote.Target{
		Name: "host-1", Address: address.IP.String(), Port: address.Port, User: s.User,
		HostKey: s.HostKey(),
	}
}

// HostKey returns the server's public key in authorized_keys form.
func (s *Server) HostKey() string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(s.hostKey.PublicKey())))
}

// PrivateKey returns the PEM private key that the server accepts.
func (s *Server) PrivateKey() []byte { return s.login64 }

// AcceptKeyOf makes the server accept the key of another server instead of its own, like hosts that
// share an authorized_keys file.
func (s *Server) AcceptKeyOf(other *Server) {
	s.accepted = other.accepted
	s.login64 = other.login64
}

// Commands returns the command lines that clients have requested.
func (s *Server) Commands() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return append([]string(nil), s.commands...)
}

// Connections returns the number of connections so far.
func (s *Server) Connections() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.conns)
}

// Onward returns the addresses that clients have requested to connect to through the server,
// refused ones included.
func (s *Server) Onward() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return append([]string(nil), s.onward...)
}

// Hop returns the server as a jump host.
func (s *Server) Hop() remote.Hop {
	t := s.Target()
	return remote.Hop{Address: t.Address, Port: t.Port, User: t.User, HostKey: t.HostKey}
}

// Open returns the number of open connections.
func (s *Server) Open() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.open
}

// Cut closes all connections at once.
func (s *Server) Cut() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, conn := range s.conns {
		_ = conn.Close()
	}
}

// Silence makes the server drop all data from now on, like a host without power.
func (s *Server) Silence() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.silent = true
}
