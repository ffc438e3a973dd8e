// Package digest computes sha256 sums, in lower case hex.
package digest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// Sum returns the SHA-256 sum of content, in lower case hex.
func Sum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Short returns the first 16 hex digits of Sum. They identify a content, but do not protect against
// a forged one.
func Short(content []byte) string { return Sum(content)[:16] }

// File returns the SHA-256 sum of a file's content, in lower case hex.
func File(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
