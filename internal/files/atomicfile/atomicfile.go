// Package atomicfile replaces files atomically. A reader sees the whole old content or the whole
// new one, even after a kill or a power cut. Once a call has returned, a reader sees the new one.
package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Write atomically writes content to path, with the file mode mode, whatever the umask is. The
// folder of path must exist.
func Write(path string, content []byte, mode fs.FileMode) error {
	return Copy(path, bytes.NewReader(content), mode)
}

// Copy atomically writes all of content to path, with the file mode mode, whatever the umask is. It
// writes a temporary file in the same folder and renames it to path.
func Copy(path string, content io.Reader, mode fs.FileMode) error {
	if err := replace(path, content, mode); err != nil {
		return err
	}
	if err := syncFolder(filepath.Dir(path)); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// IsPart reports whether name is the name of a temporary file that a killed Write or Copy of base
// has left behind.
func IsPart(name, base string) bool { return strings.HasPrefix(name, partPrefix(base)) }

func partPrefix(base string) string { return "." + base + "-" }

func replace(path string, content io.Reader, mode fs.FileMode) (err error) {
	beside, err := os.CreateTemp(filepath.Dir(path), partPrefix(filepath.Base(path))+"*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, errors.Join(err, os.Remove(beside.Name())))
		}
	}()
	if _, err := io.Copy(beside, content); err != nil {
		return errors.Join(err, beside.Close())
	}
	// os.CreateTemp creates a file with mode 0600. Chmod sets mode, whatever the umask is.
	if err := beside.Chmod(mode); err != nil {
		return errors.Join(err, beside.Close())
	}
	// Without the flush, the name may reach the disk before the content, and a power cut would
	// leave an empty file.
	if err := errors.Join(flush(beside), beside.Close()); err != nil {
		return err
	}
	return os.Rename(beside.Name(), path)
}

// flush syncs a file or a folder to the disk. Tests replace it to observe the order of the syncs.
var flush = (*os.File).Sync

// syncFolder syncs a folder's names to the disk.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(flush(folder), folder.Close())
}
