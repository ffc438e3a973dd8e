package remote

import (
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// agentSocket is the variable that every ssh-agent is found by.
const agentSocket = "SSH_AUTH_SOCK"

// ErrAgent says that the ssh-agent is needed and cannot be used. Waiting does not help.
var ErrAgent = errors.New("ssh-agent cannot be used")

// agentKeys are the keys of the ssh-agent. They sign as long as the connection that comes with them is open.
func agentKeys() ([]ssh.Signer, net.Conn, error) {
	path := os.Getenv(agentSocket)
	if path == "" {
		return nil, nil, fmt.Errorf("%w: %s is not set; start one (eval $(ssh-agent)), add the key (ssh-add) and run this from there", ErrAgent, agentSocket)
	}
	conn, err := net.Dial("unix", path)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %s is %s and nothing answers there (%w); it is left from a session that ended: log in again, or start a new agent",
			ErrAgent, agentSocket, path, reason(err))
	}
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%w: %s at %s does not list its keys: %w", ErrAgent, agentSocket, path, err), conn.Close())
	}
	return signers, conn, nil
}

// reason is a dial's error without the address.
func reason(err error) error {
	var dial *net.OpError
	if errors.As(err, &dial) {
		return dial.Err
	}
	return err
}
