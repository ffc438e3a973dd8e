package sshtest

import (
	"errors"
	"io"
	"net"
	"strconv"
	"syscall"

	"golang.org/x/crypto/ssh"
)

// forward forwards one connection, or refuses it with sshd's message.
func (s *Server) forward(offer ssh.NewChannel) {
	var to struct {
		Host       string
		Port       uint32
		Origin     string
		OriginPort uint32
	}
	if err := ssh.Unmarshal(offer.ExtraData(), &to); err != nil {
		_ = offer.Reject(ssh.ConnectionFailed, "bad request")
		return
	}
	address := net.JoinHostPort(to.Host, strconv.FormatUint(uint64(to.Port), 10))
	s.mutex.Lock()
	s.onward = append(s.onward, address)
	s.mutex.Unlock()
	if address == s.Swallow {
		return
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		var number syscall.Errno
		message := err.Error()
		if errors.As(err, &number) && number == syscall.ECONNREFUSED {
			message = "Connection refused"
		}
		_ = offer.Reject(ssh.ConnectionFailed, message)
		return
	}
	defer func() { _ = conn.Close() }()
	channel, requests, err := offer.Accept()
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	go func() {
		_, _ = io.Copy(conn, channel)
		_ = conn.Close()
	}()
	_, _ = io.Copy(channel, conn)
	_ = channel.Close()
}
