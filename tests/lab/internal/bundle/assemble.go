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

// Source is an artifact and where its content is now.
type Source struct {
	Artifact
	// File is the content; the artifact's sum and size must be its own.
	File string
}

// Assemble makes dir hold exactly the sources and their manifest, and reports whether that changed
// anything. Files are hard links where the file system allows, else copies.
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
	// A fixed name: a killed run's leftovers are replaced, and the lock keeps others away.
	stage := filepath.Join(parent, "."+filepath.Base(dir)+".stage")
	unlock, err := lockfile.Lock(ctx, stage+".lock", nil)
	if err != nil {
		return false, err
	}
	defer unlock()
	if err := errors.Join(os.RemoveAll(stage), os.Mkdir(stage, 0o755)); err != nil {
		return false, fmt.Errorf("assembling %s: %w", dir, err)
	}
	// After the exchange this is the former folder.
	defer func() { _ = os.RemoveAll(stage) }()
	if err := fill(stage, text, sources); err != nil {
		return false, fmt.Errorf("assembling %s: %w", dir, err)
	}
	return true, exchange(stage, dir)
}

// holds reports whether the folder already has this manifest and a file of the right size for each
// artifact. Contents are not read again: users of an artifact verify its sum.
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

// exchange puts stage in the place of dir, and the previous dir, if any, in the place of stage.
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

// Place makes target a hard link to file, or a copy where the two are on different file systems.
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
