package build

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Digest returns the hexadecimal SHA-256 of a list of strings. It also hashes each string's length,
// so that ("ab","c") and ("a","bc") differ.
func Digest(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		_, _ = fmt.Fprintf(sum, "%d:%s\n", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// DigestFile returns the hexadecimal SHA-256 and the size in bytes of a file.
func DigestFile(path string) (string, int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", 0, fmt.Errorf("digest: %w", err)
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err != nil {
		return "", 0, fmt.Errorf("digest of %s: %w", path, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), size, nil
}

// DigestTree hashes the names, executable bits and contents of the files below root that a build
// can read. It skips hidden files, README.md, Go tests, testdata folders, and nested Go modules,
// which are inputs of other steps. It does not follow symbolic links.
func DigestTree(root string) (string, error) {
	var parts []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if skip, what := unrelated(root, path, entry); skip {
			return what
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		sum, _, err := DigestFile(path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		// The other mode bits depend on the umask, so they must not change the key.
		parts = append(parts, fmt.Sprintf("%s %v %s", filepath.ToSlash(relative), info.Mode()&0o100 != 0, sum))
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("digest of the files in %s: %w", root, err)
	}
	if len(parts) == 0 {
		return "", fmt.Errorf("digest of the files in %s: there are none", root)
	}
	sort.Strings(parts)
	return Digest(parts...), nil
}

// unrelated reports whether a path cannot be an input of a build. Its second result is the value
// that the walk function returns for such a path: nil or fs.SkipDir.
func unrelated(root, path string, entry fs.DirEntry) (bool, error) {
	name := entry.Name()
	if path == root {
		return false, nil
	}
	if !entry.IsDir() {
		return strings.HasPrefix(name, ".") || name == "README.md" || strings.HasSuffix(name, "_test.go"), nil
	}
	if strings.HasPrefix(name, ".") || name == "testdata" {
		return true, fs.SkipDir
	}
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	if err == nil {
		return true, fs.SkipDir
	}
	return false, nil
}
