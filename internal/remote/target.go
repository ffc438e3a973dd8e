package remote

import (
	"net"
	"strconv"
)

// Target is a host that is reached over SSH.
type Target struct {
	// Name is the host's name in messages.
	Name string `json:"name"`
	// Address is an IP address or DNS name.
	Address string `json:"address"`
	// Port is sshd's TCP port.
	Port int `json:"port"`
	// User logs in; anything but root uses sudo without a password.
	User string `json:"user"`
	// HostKey is the pinned public host key in authorized_keys form.
	HostKey string `json:"hostKey"`
}

// String names the target in messages: its name, and where it is when the name does not say so.
func (t Target) String() string {
	if t.Name == "" || t.Name == t.Address {
		return t.endpoint()
	}
	return t.Name + " (" + t.endpoint() + ")"
}

// endpoint is address:port, with an IPv6 address in brackets. A port of zero is 22.
func (t Target) endpoint() string {
	port := t.Port
	if port == 0 {
		port = 22
	}
	return net.JoinHostPort(t.Address, strconv.Itoa(port))
}

// loginUser is the user that logs in; empty is root.
func (t Target) loginUser() string {
	if t.User == "" {
		return "root"
	}
	return t.User
}
