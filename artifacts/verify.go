package artifacts

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// VerifyBundle verifies the size and sum of every file in a bundle folder, and prints a line for
// each good one. The error has a line for each file that is missing or differs from the manifest.
func VerifyBundle(bundle string, out io.Writer) error {
	manifest, err := ReadManifest(bundle)
	if err != nil {
		return err
	}
	var wrong []error
	for _, entry := range manifest.Artifacts {
		if err := entry.verify(bundle); err != nil {
			wrong = append(wrong, err)
			continue
		}
		if _, err := fmt.Fprintf(out, "ok  %s %s  %s  (%s)\n", entry.Name, entry.Version,
			entry.Path,
			entry.Origin); err != nil {
			return err
		}
	}
	return errors.Join(wrong...)
}

func (e Entry) verify(bundle string) error {
	file := filepath.Join(bundle, e.Path)
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("%s %s: %w", e.Name, e.Version, err)
	}
	if info.Size() != e.Size {
		return fmt.Errorf("%s: wrong size: expected %d bytes, found %d", file, e.Size, info.Size())
	}
	return Verify(file, e.SHA256)
}
