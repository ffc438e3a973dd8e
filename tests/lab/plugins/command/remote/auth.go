package remote

import (
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// config is the SSH client configuration of an endpoint whose defaults are set.
func (e *Endpoint) config() (*ssh.ClientConfig, error) {
	config := &ssh.ClientConfig{
		User: *e.User,
		// An absent pin accepts any key: upstream's default, which Strata never uses.
		HostKeyCallback: ssh.InsecureIgnoreHostKey(),
		Timeout:         time.Duration(*e.PerDialTimeout) * time.Second,
	}
	if e.HostKey != nil {
		key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(*e.HostKey))
		if err != nil {
			return nil, fmt.Errorf("failed to parse host key: %w", err)
		}
		config.HostKeyCallback = ssh.FixedHostKey(key)
		config.HostKeyAlgorithms = []string{key.Type()}
	}
	methods, err := e.methods()
	config.Auth = methods
	return config, err
}

func (e *Endpoint) methods() ([]ssh.AuthMethod, error) {
	var methods []ssh.AuthMethod
	if e.PrivateKey != nil {
		signer, err := e.signer()
		if err != nil {
			return nil, err
		}
		methods = append(methods, ssh.PublicKeys(signer))
	}
	if e.Password != nil {
		methods = append(methods, ssh.Password(*e.Password), ssh.KeyboardInteractive(e.answer))
	}
	socket := os.Getenv("SSH_AUTH_SOCK")
	if e.AgentSocketPath != nil {
		socket = *e.AgentSocketPath
	}
	if socket == "" && e.AgentSocketPath == nil {
		return methods, nil
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil, err
	}
	return append(methods, ssh.PublicKeysCallback(agent.NewClient(conn).Signers)), nil
}

func (e *Endpoint) signer() (ssh.Signer, error) {
	if e.PrivateKeyPassword != nil {
		return ssh.ParsePrivateKeyWithPassphrase([]byte(*e.PrivateKey), []byte(*e.PrivateKeyPassword))
	}
	return ssh.ParsePrivateKey([]byte(*e.PrivateKey))
}

func (e *Endpoint) answer(_, _ string, questions []string, _ []bool) ([]string, error) {
	answers := make([]string, len(questions))
	for i := range answers {
		answers[i] = *e.Password
	}
	return answers, nil
}
