package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// RemoveIfEmpty removes directories in the given order, and stops at the first that is not empty.
// It does not remove a mount point or a symbolic link, because the host's owner has created it.
func RemoveIfEmpty(dirs ...string) error {
	for _, d := range dirs {
		info, err := os.Lstat(d)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && !info.IsDir() {
			return nil
		}
		err = os.Remove(d)
		if errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EBUSY) {
			return nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing %s: %w", d, err)
		}
	}
	return nil
}

// WriteFile writes a file atomically, and creates its parent directories. A killed call leaves a
// temporary file in the same directory.
func WriteFile(path string, content []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	beside, err := os.CreateTemp(filepath.Dir(path), partPrefix(filepath.Base(path))+"*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	_, err = beside.Write(content)
	// Write the content to disk before the rename. Otherwise, a power cut could leave an empty
	// file.
	err = errors.Join(err, beside.Chmod(mode), beside.Sync(), beside.Close())
	if err == nil {
		err = os.Rename(beside.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, errors.Join(err, os.Remove(beside.Name())))
	}
	return nil
}

// IsPart reports whether name is a temporary file of WriteFile for the file base.
func IsPart(name, base string) bool { return strings.HasPrefix(name, partPrefix(base)) }

func partPrefix(base string) string { return "." + base + "-" }
