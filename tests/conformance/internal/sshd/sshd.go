// Package sshd is an SSH server in the process of the test.
//
// It has one host key and one client key. Commands run under /bin/sh on this machine. The server
// accepts only environment variables with the prefix ACCEPTED_.
package sshd

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync/atomic"

	"golang.org/x/crypto/ssh"
)

// Server listens on loopback until it is closed.
type Server struct {
	// Port is the TCP port on 127.0.0.1.
	Port int
	// HostKey is the server's public key in authorized_keys form.
	HostKey string
	// ClientKey is a private key that may log in, as PEM.
	ClientKey string
	// Commands counts the commands that ran.
	Commands atomic.Int32

	listener net.Listener
	config   *ssh.ServerConfig
}

// Start listens.
func Start() (*Server, error) {
	host, err := newSigner()
	if err != nil {
		return nil, err
	}
	client, text, err := newKey()
	if err != nil {
		return nil, err
	}
	s := &Server{HostKey: AuthorizedKey(host.PublicKey()), ClientKey: text}
	s.config = &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata,
		key ssh.PublicKey) (*ssh.Permissions, error) {
		if string(key.Marshal()) != string(client.PublicKey().Marshal()) {
			return nil, errors.New("unknown key")
		}
		return &ssh.Permissions{}, nil
	}}
	s.config.AddHostKey(host)
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	s.Port = s.listener.Addr().(*net.TCPAddr).Port
	go s.accept()
	return s, nil
}

// Close stops listening.
func (s *Server) Close() error { return s.listener.Close() }

// AuthorizedKey returns a public key as one line.
func AuthorizedKey(key ssh.PublicKey) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

// OtherHostKey returns the public key of another server.
func OtherHostKey() (string, error) {
	signer, err := newSigner()
	if err != nil {
		return "", err
	}
	return AuthorizedKey(signer.PublicKey()), nil
}

func newSigner() (ssh.Signer, error) {
	signer, _, err := newKey()
	return signer, err
}

func newKey() (ssh.Signer, string, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, "", err
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		return nil, "", err
	}
	signer, err := ssh.NewSignerFromKey(key)
	return signer, string(pem.EncodeToMemory(block)), err
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		go s.serve(conn)
	}
}

func (s *Server) serve(conn net.Conn) {
	connection, channels, requests, err := ssh.NewServerConn(conn, s.config)
	if err != nil {
		_ = conn.Close()
		return
	}
	defer func() { _ = connection.Close() }()
	go ssh.DiscardRequests(requests)
	for incoming := range channels {
		channel, requests, err := incoming.Accept()
		if err != nil {
			return
		}
		go s.session(channel, requests)
	}
}

func (s *Server) session(channel ssh.Channel, requests <-chan *ssh.Request) {
	var environment []string
	for request := range requests {
		switch request.Type {
		case "env":
			var variable struct{ Name, Value string }
			ok := ssh.Unmarshal(request.Payload, &variable) == nil &&
				strings.HasPrefix(variable.Name, "ACCEPTED_")
			if ok {
				environment = append(environment, variable.Name+"="+variable.Value)
			}
			_ = request.Reply(ok, nil)
		case "exec":
			_ = request.Reply(true, nil)
			go s.execute(channel, request.Payload, environment)
		default:
			_ = request.Reply(false, nil)
		}
	}
}

func (s *Server) execute(channel ssh.Channel, payload []byte, environment []string) {
	defer func() { _ = channel.Close() }()
	var request struct{ Command string }
	if ssh.Unmarshal(payload, &request) != nil {
		return
	}
	s.Commands.Add(1)
	command := exec.Command("/bin/sh", "-c", request.Command)
	command.Env = append(command.Environ(), environment...)
	command.Stdout, command.Stderr = channel, channel.Stderr()
	// If a command does not read its input, its end must not wait for the input.
	input, err := command.StdinPipe()
	if err == nil {
		go func() {
			_, _ = io.Copy(input, channel)
			_ = input.Close()
		}()
	}
	var exit *exec.ExitError
	code := uint32(0)
	if err := command.Run(); errors.As(err, &exit) {
		code = uint32(exit.ExitCode())
	}
	_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{code}))
}
