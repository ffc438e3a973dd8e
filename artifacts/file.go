package artifacts

import (
	"fmt"
	"io"
	"os"

	"strata/internal/files/digest"
)

// Verify returns a SumError if a file does not have the expected SHA-256 sum.
func Verify(path, expected string) error {
	found, err := digest.File(path)
	if err != nil {
		return err
	}
	if found != expected {
		return &SumError{Path: path, Expected: expected, Found: found}
	}
	return nil
}

// SumError reports a file with a wrong sum.
type SumError struct{ Path, Expected, Found string }

func (e *SumError) Error() string {
	return fmt.Sprintf("%s: wrong checksum: expected sha256 %s, found %s", e.Path, e.Expected,
		e.Found)
}

// link creates a hard link to a file, or a copy if from and to are on different file systems.
func link(from, to string) error {
	if err := os.Link(from, to); err == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644) //nolint:gosec // holds nothing secret
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		_ = out.Close()
		return fmt.Errorf("copying %s to %s: %w", from, to, err)
	}
	return out.Close()
}
