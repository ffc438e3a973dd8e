package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"strata/internal/files/atomicfile"
)

// RemoveIfEmpty removes directories, innermost first, until one is not empty. A mount point or a
// symbolic link was put there by this host's owner and stays.
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

// WriteFile writes a file atomically, with its parents.
func WriteFile(path string, content []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return atomicfile.Write(path, content, mode)
}
