package labenv

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// staleAge is the age from which a temporary file cannot belong to a running command. No run takes
// this long.
const staleAge = 6 * time.Hour

// ensurePassphrase creates a random passphrase for secrets in the state, unless there is one. A new
// passphrase could not decrypt existing secrets.
func ensurePassphrase(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("creating the passphrase: %w", err)
	}
	defer func() { _ = file.Close() }()
	if _, err := file.WriteString(rand.Text()); err != nil {
		return fmt.Errorf("creating the passphrase: %w", errors.Join(err, os.Remove(path)))
	}
	return file.Close()
}

// clearStale removes files from dir that are older than staleAge. Younger files may belong to a
// running command.
func clearStale(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("clearing %s: %w", dir, err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("clearing %s: %w", dir, err)
		}
		if time.Since(info.ModTime()) < staleAge {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
			return fmt.Errorf("clearing %s: %w", dir, err)
		}
	}
	return nil
}
