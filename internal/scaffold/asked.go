package scaffold

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"strata/config"
	"strata/internal/remote"
)

// Asked is a host as the command line names it.
type Asked struct {
	// User logs in; anything but root uses sudo without a password.
	User string
	// Address is an IPv4 address, or a name that has one.
	Address string
	// Port is sshd's TCP port.
	Port int
}

// ParseHost reads [USER@]ADDRESS[:PORT]. user and port are those of a host that names none.
func ParseHost(text, user string, port int) (Asked, error) {
	asked := Asked{User: user, Address: text, Port: port}
	if at := strings.LastIndex(text, "@"); at >= 0 {
		asked.User, asked.Address = text[:at], text[at+1:]
	}
	switch strings.Count(asked.Address, ":") {
	case 0:
	case 1:
		address, number, _ := strings.Cut(asked.Address, ":")
		parsed, err := strconv.ParseUint(number, 10, 16)
		if err != nil {
			return asked, fmt.Errorf("--host %s: %q is not a TCP port; use 1 to 65535", text, number)
		}
		asked.Address, asked.Port = address, int(parsed)
	default:
		return asked, fmt.Errorf("--host %s: nodes need an IPv4 address; write [USER@]ADDRESS[:PORT]", text)
	}
	switch {
	case asked.Address == "" || strings.ContainsAny(asked.Address, " \t/"):
		return asked, fmt.Errorf("--host %s: has no address; write [USER@]ADDRESS[:PORT]", text)
	case asked.Port < 1 || asked.Port > 65535:
		return asked, fmt.Errorf("--host %s: %d is not a TCP port; use 1 to 65535", text, asked.Port)
	case !config.IsUserName(asked.User):
		return asked, fmt.Errorf("--host %s: %q is not a user name; use lower case letters, digits, dashes and underscores", text, asked.User)
	}
	return asked, nil
}

// String is the host in messages.
func (a Asked) String() string { return net.JoinHostPort(a.Address, strconv.Itoa(a.Port)) }

// target is the host at one of its IP addresses, with its pin.
func (a Asked) target(address, pin string) remote.Target {
	return remote.Target{Name: a.Address, Address: address, Port: a.Port, User: a.User, HostKey: pin}
}
