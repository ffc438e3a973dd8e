package sshtest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/crypto/ssh"
)

// Call is one script that a client wants to be run.
type Call struct {
	Script         string
	Stdin          []byte
	Stdout, Stderr io.Writer
	// Gone is closed when the client no longer waits for the script.
	Gone <-chan struct{}
}

func (s *Server) serve(raw net.Conn) {
	conn := &mutable{Conn: raw, server: s}
	s.mutex.Lock()
	s.conns = append(s.conns, raw)
	dropped := s.Dropped > 0
	s.Dropped--
	s.mutex.Unlock()
	if dropped {
		_ = raw.Close()
		return
	}
	config := &ssh.ServerConfig{PublicKeyCallback: s.authenticate}
	config.AddHostKey(s.hostKey)
	_, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		_ = raw.Close()
		return
	}
	s.opened(1)
	defer s.opened(-1)
	go ssh.DiscardRequests(requests) // Answers keep-alives as sshd does: with a refusal.
	for offer := range channels {
		switch {
		case offer.ChannelType() == "direct-tcpip" && s.Forwards:
			go s.forward(offer)
			continue
		case offer.ChannelType() == "direct-tcpip":
			_ = offer.Reject(ssh.Prohibited, "open failed") // as sshd does with AllowTcpForwarding no
			continue
		case offer.ChannelType() != "session":
			_ = offer.Reject(ssh.UnknownChannelType, "sessions only")
			continue
		}
		channel, requests, err := offer.Accept()
		if err != nil {
			return
		}
		go s.session(channel, requests)
	}
}

// opened counts a connection that has begun, or one that has ended.
func (s *Server) opened(more int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.open += more
}

func (s *Server) authenticate(meta ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
	s.mutex.Lock()
	refused := s.Refused > 0
	s.Refused--
	s.mutex.Unlock()
	if refused || meta.User() != s.User || !bytes.Equal(key.Marshal(), s.login.Marshal()) {
		return nil, errors.New("unknown user or key")
	}
	return &ssh.Permissions{}, nil
}

func (s *Server) session(channel ssh.Channel, requests <-chan *ssh.Request) {
	for request := range requests {
		if request.Type != "exec" {
			_ = request.Reply(false, nil)
			continue
		}
		_ = request.Reply(true, nil)
		var payload struct{ Command string }
		_ = ssh.Unmarshal(request.Payload, &payload)
		s.mutex.Lock()
		s.commands = append(s.commands, payload.Command)
		s.mutex.Unlock()
		go func() {
			code := s.run(payload.Command, channel)
			_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{uint32(code)}))
			_ = channel.Close()
		}()
	}
}

func (s *Server) run(command string, channel ssh.Channel) int {
	if s.Handler != nil {
		return s.handle(channel)
	}
	cmd := exec.Command("sh", "-c", command)
	cmd.Env = append(os.Environ(), s.Env...)
	cmd.Stdout, cmd.Stderr = channel, channel.Stderr()
	// sshd makes each command a session of its own, so that a script may end its process group.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 255
	}
	if err := cmd.Start(); err != nil {
		return 255
	}
	go func() {
		_, _ = io.Copy(stdin, channel)
		_ = stdin.Close()
	}()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code >= 0 {
		return code
	}
	return 128 + int(cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
}

// handle reads what remote sends for one script and lets the test answer.
func (s *Server) handle(channel ssh.Channel) int {
	input := bufio.NewReader(channel)
	var scriptBytes, inputBytes, seconds int
	if _, err := fmt.Fscanf(input, "%d %d %d\n", &scriptBytes, &inputBytes, &seconds); err != nil {
		return 125
	}
	script, stdin := make([]byte, scriptBytes), make([]byte, inputBytes)
	if _, err := io.ReadFull(input, script); err != nil {
		return 125
	}
	if _, err := io.ReadFull(input, stdin); err != nil {
		return 125
	}
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, input)
		close(gone)
	}()
	return s.Handler(Call{
		Script: string(script), Stdin: stdin, Stdout: channel, Stderr: channel.Stderr(), Gone: gone,
	})
}

// mutable is a connection that can be made to swallow what it is told to send.
type mutable struct {
	net.Conn
	server *Server
}

func (c *mutable) Write(p []byte) (int, error) {
	c.server.mutex.Lock()
	silent := c.server.silent
	c.server.mutex.Unlock()
	if silent {
		return len(p), nil
	}
	return c.Conn.Write(p)
}
