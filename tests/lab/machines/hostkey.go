package machines

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/crypto/ssh"

	"strata/tests/lab/machines/host"
)

// hostKeyOf returns the machine's public host key. With Seed, cloud-init installs the key at the
// first boot, and HostKey has its public half. Otherwise the key comes from HostKeyFile or is
// generated.
func hostKeyOf(spec Spec) (ssh.PublicKey, error) {
	if len(spec.Seed) == 0 {
		return keepHostKey(spec)
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(spec.HostKey))
	if err != nil {
		return nil, fmt.Errorf("host key of the seed: %w", err)
	}
	return key, nil
}

// keepHostKey installs the key in HostKeyFile, or a new key, unless the machine has one. It writes
// HostKeyFile if that is set and missing.
func keepHostKey(spec Spec) (ssh.PublicKey, error) {
	layer := machineDir(spec.Name).layer()
	if spec.HostKeyFile == "" {
		return layer.EnsureHostKey(spec.Hostname)
	}
	private, err := os.ReadFile(spec.HostKeyFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("host key of machine %s: %w", spec.Name, err)
	}
	isKept := err == nil
	if _, err := layer.ReadHostKey(); isKept && errors.Is(err, fs.ErrNotExist) {
		signer, err := ssh.ParsePrivateKey(private)
		if err != nil {
			return nil, fmt.Errorf("host key of machine %s: %s: %w", spec.Name, spec.HostKeyFile, err)
		}
		return signer.PublicKey(), layer.WriteHostKey(private, signer.PublicKey())
	}
	key, err := layer.EnsureHostKey(spec.Hostname)
	if err != nil || isKept {
		return key, err
	}
	if private, err = layer.PrivateHostKey(); err != nil {
		return nil, fmt.Errorf("host key of machine %s: %w", spec.Name, err)
	}
	return key, host.WriteFile(spec.HostKeyFile, private, 0o600)
}
