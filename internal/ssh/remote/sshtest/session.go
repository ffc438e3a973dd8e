package sshtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"
)

// Call is one script that a client requests.
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
	if s.Configure != nil {
		s.Configure(config)
	}
	_, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		_ = raw.Close()
		return
	}
	s.opened(1)
	defer s.opened(-1)
	go ssh.DiscardRequests(requests) // it refuses keepalives, as sshd does
	var sessions atomic.Int64
	for offer := range channels {
		limit := int64(max(0, s.MaxSessions))
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
		case s.MaxSessions != 0 && sessions.Load() >= limit:
			_ = offer.Reject(ssh.ConnectionFailed, "open failed")
			continue
		}
		channel, requests, err := offer.Accept()
		if err != nil {
			return
		}
		sessions.Add(1)
		go func() {
			s.session(channel, requests)
			time.AfterFunc(sessionEnd, func() { sessions.Add(-1) })
		}()
	}
}

// sessionEnd is the time for which a session counts after its end.
const sessionEnd = 50 * time.Millisecond

// opened adds more to the number of open connections; more may be negative.
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
	if s.Login != nil {
		return s.Login(meta, key)
	}
	if refused || meta.User() != s.User || !bytes.Equal(key.Marshal(), s.accepted.Marshal()) {
		return nil, errors.New("unknown user or key")
	}
	return &ssh.Permissions{}, nil
}

func (s *Server) session(channel ssh.Channel, requests <-chan *ssh.Request) {
	for request := range requests {
		if request.Type != "exec" || s.StartsNothing {
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
			s.answer(payload.Command, channel)
			_ = channel.Close()
		}()
	}
}

// answer executes a command and reports its exit, as sshd does.
func (s *Server) answer(command string, channel ssh.Channel) {
	cmd, err := s.login(command)
	if err == nil {
		err = s.run(cmd, channel)
	}
	if err != nil {
		_, _ = fmt.Fprintln(channel.Stderr(), "sshtest:", err)
		return
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		name := strings.TrimPrefix(unix.SignalName(status.Signal()), "SIG")
		end := struct {
			Signal         string
			Core           bool
			Text, Language string
		}{Signal: name}
		_, _ = channel.SendRequest("exit-signal", false, ssh.Marshal(end))
		return
	}
	end := struct{ Code uint32 }{uint32(status.ExitStatus())}
	_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(end))
}

// path is the PATH of every host. It is fixed here, because a test may change its own PATH.
var path = "PATH=" + os.Getenv("PATH")

// login returns the process that sshd would start for a command, which is the user's shell.
func (s *Server) login(command string) (*exec.Cmd, error) {
	shell := s.Shell
	if len(shell) == 0 {
		shell = []string{"/bin/sh"}
	}
	cmd := exec.Command(shell[0], append(slices.Clone(shell[1:]), "-c", command)...)
	cmd.Env = append(append(os.Environ(), path), s.Env...)
	// sshd starts each command in a session of its own, so that a script may kill its process
	// group.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if s.User == "root" {
		return cmd, nil
	}
	folder, err := s.sudoFolder()
	for _, variable := range slices.Clone(cmd.Env) {
		if others, found := strings.CutPrefix(variable, "PATH="); found {
			cmd.Env = append(cmd.Env, "PATH="+folder+":"+others)
		}
	}
	return cmd, err
}

// run executes a command until it exits, with the channel as its streams.
func (s *Server) run(cmd *exec.Cmd, channel ssh.Channel) error {
	cmd.Stdout, cmd.Stderr = channel, channel.Stderr()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if s.Handler == nil {
		if err := cmd.Start(); err != nil {
			return err
		}
		go func() {
			_, _ = io.Copy(stdin, channel)
			_ = stdin.Close()
		}()
		_ = cmd.Wait() // The process state has the exit code.
		return nil
	}
	b, err := newBridge(cmd)
	if err != nil {
		return err
	}
	defer b.close()
	if err := cmd.Start(); err != nil {
		return err
	}
	b.started()
	go func() {
		b.relay(channel, stdin, s.Handler)
		_ = stdin.Close()
	}()
	_ = cmd.Wait()
	return nil
}

// mutable is a connection whose output can be dropped.
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
