package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"strata/tests/lab/internal/lockfile"
)

// Source is an artifact and the file that has its content.
type Source struct {
	Artifact
	// File is the path of the content, which must match the artifact's checksum and size.
	File string
}

// Assemble makes dir contain exactly the sources and their manifest. It reports whether it changed
// dir. Files are hard links if possible, and copies otherwise.
func Assemble(ctx context.Context, dir string, sources []Source) (bool, error) {
	var manifest Manifest
	for _, source := range sources {
		manifest.Artifacts = append(manifest.Artifacts, source.Artifact)
	}
	text, err := manifest.Encode()
	if err != nil {
		return false, err
	}
	same, err := holds(dir, text, sources)
	if err != nil || same {
		return false, err
	}
	parent := filepath.Dir(dir)
	// The stage folder has a fixed name, so that the next call removes what an interrupted call
	// left. The lock excludes other processes.
	stage := filepath.Join(parent, "."+filepath.Base(dir)+".stage")
	unlock, err := lockfile.Lock(ctx, stage+".lock", nil)
	if err != nil {
		return false, err
	}
	defer unlock()
	if err := errors.Join(os.RemoveAll(stage), os.Mkdir(stage, 0o755)); err != nil {
		return false, fmt.Errorf("assembling %s: %w", dir, err)
	}
	// After the exchange, stage has the former content.
	defer func() { _ = os.RemoveAll(stage) }()
	if err := fill(stage, text, sources); err != nil {
		return false, fmt.Errorf("assembling %s: %w", dir, err)
	}
	return true, exchange(stage, dir)
}

// holds reports whether dir already has this manifest and a file of the right size for each
// artifact. It does not read the contents, because users of an artifact verify its checksum.
func holds(dir string, manifest []byte, sources []Source) (bool, error) {
	have, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the manifest: %w", err)
	}
	if !bytes.Equal(have, manifest) {
		return false, nil
	}
	for _, source := range sources {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(source.Path)))
		if errors.Is(err, os.ErrNotExist) || err == nil && info.Size() != source.Size {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("looking at the bundle: %w", err)
		}
	}
	return true, nil
}

func fill(dir string, manifest []byte, sources []Source) error {
	for _, source := range sources {
		target := filepath.Join(dir, filepath.FromSlash(source.Path))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := Place(source.File, target); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, ManifestFile), manifest, 0o644)
}

// exchange swaps stage and dir atomically. If dir does not exist, it creates an empty one first.
func exchange(stage, dir string) error {
	err := os.Mkdir(dir, 0o755)
	if err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("creating %s: %w", dir, err)
	}
	if err := unix.Renameat2(unix.AT_FDCWD, stage, unix.AT_FDCWD, dir, unix.RENAME_EXCHANGE); err != nil {
		return fmt.Errorf("putting %s in place: %w", dir, err)
	}
	return nil
}

// Place makes target a hard link to file, or a copy if they are on different file systems.
func Place(file, target string) error {
	err := os.Link(file, target)
	if !errors.Is(err, unix.EXDEV) {
		return err
	}
	from, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	to, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer func() { _ = to.Close() }()
	if _, err := io.Copy(to, from); err != nil {
		return err
	}
	return to.Close()
}
