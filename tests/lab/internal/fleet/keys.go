package fleet

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"

	"strata/tests/lab/machines/host"
)

// running is a folder that has a link to the login key of each stack whose machines run. It is on a
// tmpfs, so a reboot empties it. The reboot also stops the machines.
const running = "/run/strata/fleets"

// key returns the path of the private key that the stack's configuration names.
func (f *Fleet) key() string { return filepath.Join(f.folder, "key") }

func (f *Fleet) login() string { return filepath.Join(f.folder, "login") }

// link returns the path of the stack's link in running. The name has a hash, because two checkouts
// may have stacks of the same name.
func (f *Fleet) link() string {
	sum := sha256.Sum256([]byte(f.folder))
	return filepath.Join(running, f.stack+"-"+hex.EncodeToString(sum[:4]))
}

// show makes the stack's login key available: key becomes a link to link, and link a link to login.
func (f *Fleet) show() error {
	if err := os.MkdirAll(running, 0o700); err != nil {
		return fmt.Errorf("the login of stack %s: %w", f.stack, err)
	}
	return errors.Join(replaceLink(f.login(), f.link()), replaceLink(f.link(), f.key()))
}

// hide removes the links that show creates.
func (f *Fleet) hide() error {
	for _, path := range []string{f.key(), f.link()} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the login of stack %s: %w", f.stack, err)
		}
	}
	return host.RemoveIfEmpty(running, filepath.Dir(running))
}

// replaceLink makes path a symbolic link to target, and replaces an existing link.
func replaceLink(target, path string) error {
	if found, err := os.Readlink(path); err == nil && found == target {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Symlink(target, path)
}

// owner returns the public key of the stack's login in authorized_keys form. The error is
// fs.ErrNotExist if the stack has no login key.
func (f *Fleet) owner() (string, error) {
	private, err := os.ReadFile(f.login())
	if err != nil {
		return "", fmt.Errorf("the login of stack %s: %w", f.stack, err)
	}
	signer, err := ssh.ParsePrivateKey(private)
	if err != nil {
		return "", fmt.Errorf("the login of stack %s: %s: %w", f.stack, f.login(), err)
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey()))), nil
}

// ensureOwner generates the login key unless it exists, and returns its public key in
// authorized_keys form.
func (f *Fleet) ensureOwner() (string, error) {
	owner, err := f.owner()
	if !errors.Is(err, fs.ErrNotExist) {
		return owner, err
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", fmt.Errorf("generating the login of stack %s: %w", f.stack, err)
	}
	block, err := ssh.MarshalPrivateKey(private, f.stack)
	if err != nil {
		return "", fmt.Errorf("encoding the login of stack %s: %w", f.stack, err)
	}
	if err := host.WriteFile(f.login(), pem.EncodeToMemory(block), 0o600); err != nil {
		return "", err
	}
	return f.owner()
}
