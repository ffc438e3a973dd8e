package nspawn

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
)

// ensureHostKey makes the machine's SSH host key before its first boot, so that the first connection already has a pin,
// and returns the public half. The private half stays in the machine's root file system, readable by root.
func ensureHostKey(d dir, name string) (ssh.PublicKey, error) {
	key, err := readHostKey(d)
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
	return signer.PublicKey(), writeHostKey(d, pem.EncodeToMemory(block), signer.PublicKey())
}

// writeHostKey writes the public half last: it says that the pair is complete.
func writeHostKey(d dir, private []byte, public ssh.PublicKey) error {
	if err := writeFile(d.hostKey(), private, 0o600); err != nil {
		return err
	}
	return writeFile(d.hostKey()+".pub", ssh.MarshalAuthorizedKey(public), 0o644)
}

// hostKeyOf is the machine's host key: its seed's, which cloud-init writes at the first boot, or one that is made here.
func hostKeyOf(spec Spec) (ssh.PublicKey, error) {
	if len(spec.Seed) == 0 {
		if err := keepHostKey(spec.Name); err != nil {
			return nil, err
		}
		return ensureHostKey(machineDir(spec.Name), spec.Hostname)
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(spec.HostKey))
	if err != nil {
		return nil, fmt.Errorf("host key of the seed: %w", err)
	}
	return key, nil
}

func readHostKey(d dir) (ssh.PublicKey, error) {
	raw, err := os.ReadFile(d.hostKey() + ".pub")
	if err != nil {
		return nil, fmt.Errorf("reading the host key: %w", err)
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey(raw)
	if err != nil {
		return nil, fmt.Errorf("reading the host key %s.pub: %w", d.hostKey(), err)
	}
	return key, nil
}

// authorizedForm is the key as one line of an authorized_keys file, without a comment.
func authorizedForm(key ssh.PublicKey) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}
