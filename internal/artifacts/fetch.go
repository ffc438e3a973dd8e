package artifacts

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"strata/config"
	"strata/internal/digest"
)

// Fetch downloads every pin, checks it against upstream's own list of sums where there is one and against the lock where it
// is already there, and then writes the lock. Nothing is locked unless everything was right. A pin of an image of our own is built, and
// locked anew. Progress goes to out.
func Fetch(ctx context.Context, projectDir string, pins []config.Pin, out io.Writer) error {
	old, err := ReadLock(projectDir)
	if err != nil {
		return err
	}
	lock := &Lock{}
	for _, pin := range pins {
		locked, err := fetchOne(ctx, projectDir, old, pin, out)
		if err != nil {
			return fmt.Errorf("fetch %s %s: %w", pin.Name, pin.Version, err)
		}
		lock.Artifacts = append(lock.Artifacts, locked)
	}
	// What no pin asks for now may come back, and is held against its sum then.
	for _, before := range old.Artifacts {
		if !slices.ContainsFunc(lock.Artifacts, before.same) {
			lock.Artifacts = append(lock.Artifacts, before)
		}
	}
	return lock.Write(projectDir)
}

func fetchOne(ctx context.Context, projectDir string, old *Lock, pin config.Pin, out io.Writer) (Locked, error) {
	known, isLocked := old.Find(pin)
	label := strings.TrimSpace(pin.Name + " " + pin.Version + " " + pin.Arch)
	dir, err := CacheDir()
	if err != nil {
		return Locked{}, err
	}
	// What is built is as its sources and this machine's Go have it, whatever was locked: it comes from this machine only.
	if _, built := config.BuiltImage(pin.URL); built {
		if _, err := fmt.Fprintf(out, "%s: %s\n", label, pin.URL); err != nil {
			return Locked{}, err
		}
		return fetchFile(ctx, projectDir, dir, pin, "", out)
	}
	if isLocked && verified(filepath.Join(dir, known.artifact().FileName()), known.SHA256) {
		_, err := fmt.Fprintf(out, "%s: already here\n", label)
		return known, err
	}
	if _, err := fmt.Fprintf(out, "%s: %s\n", label, pin.URL); err != nil {
		return Locked{}, err
	}
	// Published files do not change; one that did was tampered with or republished, and a person must look.
	expected, err := publishedSum(ctx, dir, pin)
	switch {
	case err != nil:
		return Locked{}, err
	case isLocked && expected != "" && expected != known.SHA256:
		return Locked{}, fmt.Errorf("%s has sha256 %s for %s, but %s now says %s",
			LockFile, known.SHA256, path.Base(pin.URL), pin.Sums, expected)
	case isLocked:
		expected = known.SHA256
	}
	return fetchFile(ctx, projectDir, dir, pin, expected, out)
}

// fetchFile downloads or builds the file of a pin into the cache. An empty expected sum accepts what comes: the first time, with
// nothing to hold it against.
func fetchFile(ctx context.Context, projectDir, dir string, pin config.Pin, expected string, out io.Writer) (Locked, error) {
	partial := partialFile(dir, pin)
	if expected == "" {
		// What an interrupted run left could be half of an older file.
		if err := os.Remove(partial); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Locked{}, err
		}
	}
	if err := obtain(ctx, projectDir, pin.URL, pin.Arch, partial, out); err != nil {
		return Locked{}, err
	}
	if expected == "" {
		found, err := digest.File(partial)
		if err != nil {
			return Locked{}, err
		}
		expected = found
	}
	locked := Locked{Name: pin.Name, Version: pin.Version, Arch: pin.Arch, URL: pin.URL, SHA256: expected}
	file := filepath.Join(dir, locked.artifact().FileName())
	if err := accept(partial, file, pin.URL, expected); err != nil {
		return Locked{}, err
	}
	stamped, err := stampOf(file, expected)
	if err != nil {
		return Locked{}, err
	}
	locked.Size = stamped.Size
	return locked, remember(file, expected)
}

// partialFile is where a download grows: its name tells pins apart, so that none resumes another's.
func partialFile(dir string, pin config.Pin) string {
	return filepath.Join(dir, strings.Join([]string{pin.Name, pin.Version, pin.Arch, path.Base(pin.URL)}, "-")+".part")
}

// publishedSum is the sum that upstream's list gives for the pin's file; empty when upstream has no list.
func publishedSum(ctx context.Context, dir string, pin config.Pin) (string, error) {
	if pin.Sums == "" {
		return "", nil
	}
	partial := partialFile(dir, config.Pin{Name: "sums", Version: pin.Version, Arch: pin.Arch, URL: pin.Sums})
	text, err := fresh(ctx, pin.Sums, partial)
	if err != nil {
		return "", err
	}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		sum, name, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		if strings.TrimLeft(name, " *") == path.Base(pin.URL) && hexSum.MatchString(sum) {
			return sum, nil
		}
	}
	return "", fmt.Errorf("%s lists no sum for %s", pin.Sums, path.Base(pin.URL))
}
