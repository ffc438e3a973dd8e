// Package self owns the copy of this program that resources run, .strata/bin/strata beside the
// project, and the names of its environment variables. The copy is replaced atomically and only if
// it differs, so a running gate keeps its file.
package self

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"strata/internal/files/atomicfile"
	"strata/internal/files/digest"
)

// Path is the place of the installed program, relative to the project.
const Path = ".strata/bin/strata"

// Install copies the running executable to Path under project. A test binary is never installed: it
// has no subcommands.
func Install(project string) error {
	if testing.Testing() {
		return nil
	}
	executable, err := os.Executable()
	if err != nil {
		return fmt.Errorf("own executable: %w", err)
	}
	target := filepath.Join(project, Path)
	same, err := equal(executable, target)
	if err != nil || same {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return replace(executable, target)
}

// replace copies source over target atomically.
func replace(source, target string) error {
	in, err := os.Open(source)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	return atomicfile.Copy(target, in, 0o755)
}

// equal reports whether both files exist and hold the same bytes.
func equal(a, b string) (bool, error) {
	infoA, err := os.Stat(a)
	if err != nil {
		return false, err
	}
	infoB, err := os.Stat(b)
	if os.IsNotExist(err) {
		return false, nil
	}
	if err != nil || infoA.Size() != infoB.Size() {
		return false, err
	}
	sumA, err := digest.File(a)
	if err != nil {
		return false, err
	}
	sumB, err := digest.File(b)
	return sumA == sumB, err
}
