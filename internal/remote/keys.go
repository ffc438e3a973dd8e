package remote

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"

	"golang.org/x/crypto/ssh"
)

// ErrPassphrase says that a private key is encrypted, and its passphrase is not known or another one.
var ErrPassphrase = errors.New("private key is encrypted")

// sudoBlock is the PEM type of a sudo password among keys; hostHeader says for which host alone it is.
const (
	sudoBlock  = "STRATA SUDO PASSWORD"
	hostHeader = "Host"
)

// SudoPassword is a sudo password in the form in which it travels behind private keys: one more block of PEM. host is the Target.Name of the
// only host that it is for; empty: for every host without one of its own. Secret.
func SudoPassword(password, host string) []byte {
	block := &pem.Block{Type: sudoBlock, Bytes: []byte(password)}
	if host != "" {
		block.Headers = map[string]string{hostHeader: host}
	}
	return pem.EncodeToMemory(block)
}

// DecryptKey is a PEM private key without its passphrase; one that has none comes back as it is. The same key gives the same text each time,
// so that a state does not change with it. The error is ErrPassphrase where the passphrase is missing or wrong. Secret.
func DecryptKey(key []byte, passphrase string) ([]byte, error) {
	var missing *ssh.PassphraseMissingError
	if _, err := ssh.ParseRawPrivateKey(key); !errors.As(err, &missing) {
		return key, nil // whatever else it is, who logs in with it says
	}
	if passphrase == "" {
		return nil, ErrPassphrase
	}
	private, err := ssh.ParseRawPrivateKeyWithPassphrase(key, []byte(passphrase))
	if errors.Is(err, x509.IncorrectPasswordError) {
		return nil, fmt.Errorf("%w, and not with this passphrase", ErrPassphrase)
	}
	if err != nil {
		return nil, fmt.Errorf("private key: %w", err)
	}
	if pointer, ok := private.(*ed25519.PrivateKey); ok {
		private = *pointer // the only form that crypto/x509 takes
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, fmt.Errorf("private key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// access is what logs in to hosts and makes root there.
type access struct {
	signers []ssh.Signer
	// sudo are the passwords by the name of their host; that of the empty name is for all others.
	sudo map[string]string
}

// parseAccess reads PEM private keys, and the sudo passwords among them. A key that occurs twice counts once, since sshd bounds the number
// of tries.
func parseAccess(text []byte) (access, error) {
	found := access{sudo: map[string]string{}}
	seen := map[string]bool{}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == sudoBlock {
			found.sudo[block.Headers[hostHeader]] = string(block.Bytes)
			continue
		}
		// The parser's error names the format only, never the key.
		signer, err := ssh.ParsePrivateKey(pem.EncodeToMemory(block))
		if err != nil {
			return access{}, fmt.Errorf("expected PEM without passphrase: %w", err)
		}
		if public := string(signer.PublicKey().Marshal()); !seen[public] {
			seen[public] = true
			found.signers = append(found.signers, signer)
		}
	}
	if len(bytes.TrimSpace(text)) > 0 && len(found.signers) == 0 && len(found.sudo) == 0 {
		return access{}, errNoKey
	}
	return found, nil
}

// Fingerprints are those of the public halves of private keys; a sudo password among them has none.
func Fingerprints(keys []byte) ([]string, error) {
	found, err := parseAccess(keys)
	if err != nil {
		return nil, fmt.Errorf("private key: %w", err)
	}
	var list []string
	for _, signer := range found.signers {
		list = append(list, fingerprint(signer.PublicKey()))
	}
	return list, nil
}

var errNoKey = errors.New("expected PEM, found none")

// sudoFor is the sudo password for a host; empty: sudo is asked without one.
func (a access) sudoFor(t Target) string {
	if t.loginUser() == "root" {
		return ""
	}
	if own, ok := a.sudo[t.Name]; ok {
		return own
	}
	return a.sudo[""]
}
