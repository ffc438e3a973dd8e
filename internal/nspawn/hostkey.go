package nspawn

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/crypto/ssh"
)

// hostKeyOf returns the machine's host key: its seed's, which cloud-init writes at the first boot,
// or a new one.
func hostKeyOf(spec Spec) (ssh.PublicKey, error) {
	if len(spec.Seed) == 0 {
		if err := keepHostKey(spec.Name); err != nil {
			return nil, err
		}
		return machineDir(spec.Name).layer().EnsureHostKey(spec.Hostname)
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(spec.HostKey))
	if err != nil {
		return nil, fmt.Errorf("host key of the seed: %w", err)
	}
	return key, nil
}

// keepHostKey gives a replacement machine the host key of the old one, unless it has a key or none
// is known.
func keepHostKey(name string) error {
	private, err := os.ReadFile(notePath(deleting, name))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(private) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("host key of machine %s: %w", name, err)
	}
	if _, err := machineDir(name).layer().ReadHostKey(); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	signer, err := ssh.ParsePrivateKey(private)
	if err != nil {
		return fmt.Errorf("host key of machine %s: %w", name, err)
	}
	return machineDir(name).layer().WriteHostKey(private, signer.PublicKey())
}
