package scaffold

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"strata/config"
)

// Asked is a host as the user named it on the command line.
type Asked struct {
	// User logs in; any user except root uses sudo. If empty, the ssh_config sets it.
	User string
	// Address is an IPv4 address, a name that resolves to one, or a name in an ssh_config.
	Address string
	// Port is sshd's TCP port. If zero, the ssh_config sets it.
	Port int
}

// ParseHost parses [USER@]ADDRESS[:PORT]. user and port are the defaults; they are empty and zero
// if an ssh_config sets them.
func ParseHost(text, user string, port int) (Asked, error) {
	asked := Asked{User: user, Address: text, Port: port}
	at := strings.LastIndex(text, "@")
	if at >= 0 {
		asked.User, asked.Address = text[:at], text[at+1:]
	}
	switch strings.Count(asked.Address, ":") {
	case 0:
	case 1:
		address, number, _ := strings.Cut(asked.Address, ":")
		parsed, err := strconv.ParseUint(number, 10, 16)
		if err != nil || parsed == 0 {
			return asked, fmt.Errorf("--host %s: %q is not a TCP port; use 1 to 65535",
				text, number)
		}
		asked.Address, asked.Port = address, int(parsed)
	default:
		return asked, fmt.Errorf("--host %s: nodes need an IPv4 address; write [USER@]ADDRESS[:PORT]", text)
	}
	switch {
	case asked.Address == "" || strings.ContainsAny(asked.Address, " \t/"):
		return asked, fmt.Errorf("--host %s: has no address; write [USER@]ADDRESS[:PORT]", text)
	case asked.Port < 0 || asked.Port > 65535:
		return asked, fmt.Errorf("--host %s: %d is not a TCP port; use 1 to 65535", text,
			asked.Port)
	case !config.IsLoginName(asked.User) && (at >= 0 || user != ""):
		return asked, fmt.Errorf("--host %s: %q is not a user name; %s", text, asked.User,
			config.LoginNameFix)
	}
	return asked, nil
}

// String returns the host for messages.
func (a Asked) String() string { return net.JoinHostPort(a.Address, strconv.Itoa(a.Port)) }
