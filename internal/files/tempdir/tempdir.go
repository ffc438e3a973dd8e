// Package tempdir makes temporary folders for secret or large files. New also removes the folders
// that killed processes have left.
package tempdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Folder is a folder that only its owner can use (0700), with a lock that shows that its process is
// alive. The kernel frees the lock when the process ends in any way.
type Folder struct {
	// Path is the folder's path.
	Path string
	lock *os.File
}

// New makes a folder in parent, whose name begins with prefix. It removes folders of that prefix
// whose processes ended without Remove. The error names the folder that could not be made or
// removed.
func New(parent, prefix string) (Folder, error) {
	if err := sweep(parent, prefix); err != nil {
		return Folder{}, err
	}
	for {
		path, err := os.MkdirTemp(parent, prefix)
		if err != nil {
			return Folder{}, err
		}
		lock, err := hold(path)
		if err == nil {
			if _, err = os.Lstat(path); err == nil {
				return Folder{path, lock}, nil
			}
			_ = lock.Close()
		}
		// Another process may have run sweep between MkdirTemp and hold, and removed this folder as
		// a leftover.
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, fs.ErrNotExist) {
			return Folder{}, err
		}
	}
}

// Remove removes the folder with its content.
func (f Folder) Remove() error { return errors.Join(os.RemoveAll(f.Path), f.lock.Close()) }

// sweep removes the folders whose names begin with prefix and whose lock no process holds.
func sweep(parent, prefix string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	var failures []error
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), prefix) {
			continue
		}
		path := filepath.Join(parent, entry.Name())
		lock, err := hold(path)
		if err != nil {
			continue // its process is alive, or it belongs to another user
		}
		if err := errors.Join(os.RemoveAll(path), lock.Close()); err != nil {
			failures = append(failures, fmt.Errorf(
				"remove %s, which a run that was killed has left: %w", path, err))
		}
	}
	return errors.Join(failures...)
}

// hold locks a folder. It returns an error if another process holds the lock.
func hold(path string) (*os.File, error) {
	folder, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return folder, nil
}
