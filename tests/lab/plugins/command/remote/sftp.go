package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/pkg/sftp"
)

// copy sends the source to the remote path.
func (a *CopyArgs) copy(ctx context.Context) error {
	client, err := a.Connection.dial(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	files, err := sftp.NewClient(client, sftp.UseConcurrentWrites(true))
	if err != nil {
		return err
	}
	defer files.Close()
	if a.Source.Asset != nil && a.Source.Asset.IsText() {
		return copyText(files, a.Source.Asset.Text, a.RemotePath)
	}
	if a.Source.Archive != nil {
		return copyPath(files, a.Source.Archive.Path, a.RemotePath)
	}
	return copyPath(files, a.Source.Asset.Path, a.RemotePath)
}

func copyText(to *sftp.Client, text, destination string) error {
	isDir, err := isDirectory(to, destination)
	if err != nil {
		return err
	}
	if isDir {
		return fmt.Errorf("remote path %s is a directory; when using a text asset, remotePath must be a file path",
			destination)
	}
	return write(to, strings.NewReader(text), destination)
}

// copyPath follows cp: a file goes into an existing directory, and a directory
// without a trailing slash keeps its own name under the destination.
func copyPath(to *sftp.Client, source, destination string) error {
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	into, err := isDirectory(to, destination)
	if err != nil {
		return err
	}
	if (info.IsDir() && !strings.HasSuffix(source, "/")) || (!info.IsDir() && into) {
		destination = path.Join(destination, filepath.Base(source))
	}
	if !info.IsDir() {
		return copyFile(to, source, destination)
	}
	return filepath.WalkDir(source, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(source, name)
		if err != nil {
			return err
		}
		target := path.Join(destination, filepath.ToSlash(relative))
		if entry.IsDir() {
			return to.MkdirAll(target)
		}
		return copyFile(to, name, target)
	})
}

func copyFile(to *sftp.Client, source, destination string) error {
	file, err := os.Open(source)
	if err != nil {
		return err
	}
	defer file.Close()
	return write(to, file, destination)
}

func write(to *sftp.Client, content io.Reader, destination string) error {
	if err := to.MkdirAll(path.Dir(destination)); err != nil {
		return fmt.Errorf("failed to create parent directories for %s: %w", destination, err)
	}
	file, err := to.Create(destination)
	if err != nil {
		return fmt.Errorf("failed to create remote file %s: %w", destination, err)
	}
	if _, err := file.ReadFrom(content); err != nil {
		return errors.Join(fmt.Errorf("failed to write remote path %s: %w", destination, err), file.Close())
	}
	return file.Close()
}

// isDirectory is false for a path that does not exist.
func isDirectory(on *sftp.Client, name string) (bool, error) {
	info, err := on.Stat(name)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("failed to stat remote path %s: %w", name, err)
	}
	return info.IsDir(), nil
}
