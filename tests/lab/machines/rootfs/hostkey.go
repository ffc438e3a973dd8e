package rootfs

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/crypto/ssh"

	"strata/tests/lab/machines/host"
)

// EnsureHostKey generates the machine's SSH host key, unless it exists, and returns the public
// half. It runs before the first boot, so that the first connection can already verify the key. The
// private half is in the machine's root file system, readable by root only.
func (l Layer) EnsureHostKey(name string) (ssh.PublicKey, error) {
	key, err := l.ReadHostKey()
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("generating the host key: %w", err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		return nil, fmt.Errorf("generating the host key: %w", err)
	}
	block, err := ssh.MarshalPrivateKey(private, name)
	if err != nil {
		return nil, fmt.Errorf("encoding the host key: %w", err)
	}
	return signer.PublicKey(), l.WriteHostKey(pem.EncodeToMemory(block), signer.PublicKey())
}

// WriteHostKey writes a host key. It writes the public half last, so its presence means that the
// pair is complete.
func (l Layer) WriteHostKey(private []byte, public ssh.PublicKey) error {
	if err := host.WriteFile(l.hostKey(), private, 0o600); err != nil {
		return err
	}
	return host.WriteFile(l.hostKey()+".pub", ssh.MarshalAuthorizedKey(public), 0o644)
}

// ReadHostKey returns the public half. The error is fs.ErrNotExist if the pair is not complete.
func (l Layer) ReadHostKey() (ssh.PublicKey, error) {
	raw, err := os.ReadFile(l.hostKey() + ".pub")
	if err != nil {
		return nil, fmt.Errorf("reading the host key: %w", err)
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey(raw)
	if err != nil {
		return nil, fmt.Errorf("reading the host key %s.pub: %w", l.hostKey(), err)
	}
	return key, nil
}

// PrivateHostKey returns the private half in PEM. The error is fs.ErrNotExist if there is none.
func (l Layer) PrivateHostKey() ([]byte, error) { return os.ReadFile(l.hostKey()) }

// AuthorizedForm returns a public key as a line of an authorized_keys file, without a comment.
func AuthorizedForm(key ssh.PublicKey) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}
