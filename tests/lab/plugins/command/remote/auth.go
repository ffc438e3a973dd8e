package remote

import (
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// config returns the SSH client configuration of a connection. The defaults must be set.
func (c *Connection) config() (*ssh.ClientConfig, error) {
	config := &ssh.ClientConfig{
		User: *c.User,
		// Without HostKey, any host key is accepted. That is the official plugin's default, which
		// Strata never uses.
		HostKeyCallback: ssh.InsecureIgnoreHostKey(),
		Timeout:         time.Duration(*c.PerDialTimeout) * time.Second,
	}
	if c.HostKey != nil {
		key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(*c.HostKey))
		if err != nil {
			return nil, fmt.Errorf("failed to parse host key: %w", err)
		}
		config.HostKeyCallback = ssh.FixedHostKey(key)
		config.HostKeyAlgorithms = []string{key.Type()}
	}
	methods, err := c.methods()
	config.Auth = methods
	return config, err
}

// methods returns the authentication methods: the private key, and the SSH agent at $SSH_AUTH_SOCK.
// An agent that does not respond is an error, even if there is a private key.
func (c *Connection) methods() ([]ssh.AuthMethod, error) {
	var methods []ssh.AuthMethod
	if c.PrivateKey != nil {
		signer, err := ssh.ParsePrivateKey([]byte(*c.PrivateKey))
		if err != nil {
			return nil, err
		}
		methods = append(methods, ssh.PublicKeys(signer))
	}
	socket := os.Getenv("SSH_AUTH_SOCK")
	if socket == "" {
		return methods, nil
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil, err
	}
	return append(methods, ssh.PublicKeysCallback(agent.NewClient(conn).Signers)), nil
}
