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
	"strata/internal/files/digest"
)

// Fetch downloads every pin from the configured source, and writes the sums to the lock. It
// compares each sum with upstream's list of sums and with the lock, if they have the file. It
// always builds Strata's own images. If a pin fails, Fetch does not write the lock, and returns the
// errors of all pins. out receives the progress.
func Fetch(
	ctx context.Context, projectDir string, from config.Artifacts, pins []config.Pin, out io.Writer,
) error {
	old, err := ReadLock(projectDir)
	if err != nil {
		return err
	}
	f := &fetcher{projectDir: projectDir, source: sourceOf(from), old: old}
	fetched, failures, err := f.fetchPins(ctx, pins, out)
	if err := errors.Join(append(failures, err)...); err != nil {
		return err
	}
	return old.With(fetched).Write(projectDir)
}

// With returns the lock with newer added; each newer entry replaces the entry for the same file.
// Entries of former pins stay: if a pin returns to a former version, Fetch compares its sum.
func (l *Lock) With(newer []Locked) *Lock {
	lock := &Lock{Artifacts: slices.Clone(newer)}
	for _, before := range l.Artifacts {
		if !slices.ContainsFunc(newer, before.same) {
			lock.Artifacts = append(lock.Artifacts, before)
		}
	}
	return lock
}

// fetcher downloads or builds pins into the download cache.
type fetcher struct {
	projectDir string
	source     *source
	// old is the project's lock before this fetch.
	old *Lock
	// dir is the folder of the download cache.
	dir string
	// hosts, if set, checks each host once before the first download from it.
	hosts *hosts
}

func (f *fetcher) fetchPin(ctx context.Context, pin config.Pin, out io.Writer) (Locked, error) {
	known, isLocked := f.old.Find(pin)
	// The sum of a built image depends on its sources and this machine's Go, so it is not compared
	// with the lock.
	if _, built := config.BuiltImage(pin.URL); built {
		if _, err := fmt.Fprintln(out, pin.URL); err != nil {
			return Locked{}, err
		}
		return f.file(ctx, pin, "", out)
	}
	if isLocked && hasSum(filepath.Join(f.dir, known.artifact(nil).FileName()), known.SHA256) {
		_, err := fmt.Fprintln(out, "already here")
		return known, err
	}
	if err := f.hosts.answer(ctx, f.source, pin.URL); err != nil {
		return Locked{}, err
	}
	if _, err := fmt.Fprintln(out, f.source.address(pin.URL)); err != nil {
		return Locked{}, err
	}
	// A published file must not change. If its sum changes, the file was tampered with or
	// republished, so the user must check it.
	expected, err := f.publishedSum(ctx, pin)
	switch {
	case err != nil:
		return Locked{}, err
	case isLocked && expected != "" && expected != known.SHA256:
		return Locked{}, fmt.Errorf("%s has sha256 %s for %s, but %s now says %s",
			LockFile, known.SHA256, path.Base(pin.URL), pin.Sums, expected)
	case isLocked:
		expected = known.SHA256
	}
	return f.file(ctx, pin, expected, out)
}

// file downloads or builds a pin's file into the cache. If expected is empty, file accepts any
// content: a first download and a built image have no sum to compare with.
func (f *fetcher) file(
	ctx context.Context, pin config.Pin, expected string, out io.Writer,
) (Locked, error) {
	partial := partialFile(f.dir, pin)
	if expected == "" {
		// Start afresh: without an expected sum, nothing detects other content in partial.
		if err := os.Remove(partial); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Locked{}, err
		}
	}
	if err := f.source.obtain(ctx, f.projectDir, pin.URL, pin.Arch, partial, out); err != nil {
		return Locked{}, err
	}
	if expected == "" {
		found, err := digest.File(partial)
		if err != nil {
			return Locked{}, err
		}
		expected = found
	}
	locked := Locked{Name: pin.Name, Version: pin.Version, Arch: pin.Arch, URL: pin.URL,
		SHA256: expected}
	file := filepath.Join(f.dir, locked.artifact(nil).FileName())
	if err := accept(partial, file, f.source.address(pin.URL), expected); err != nil {
		return Locked{}, err
	}
	stamped, err := stampOf(file, expected)
	if err != nil {
		return Locked{}, err
	}
	locked.Size = stamped.Size
	return locked, remember(file, expected)
}

// partialFile returns the path of an unfinished download. It is unique to the pin, so that no pin
// resumes the download of another.
func partialFile(dir string, pin config.Pin) string {
	return filepath.Join(dir, strings.Join([]string{pin.Name, pin.Version, pin.Arch,
		path.Base(pin.URL)}, "-")+".part")
}

// publishedSum returns the sum of a pin's file in upstream's list of sums; "" if upstream has no
// list. It fails if the list lacks the file.
func (f *fetcher) publishedSum(ctx context.Context, pin config.Pin) (string, error) {
	if pin.Sums == "" {
		return "", nil
	}
	// Pins that share a list of sums are fetched in parallel, so each has its own partial file.
	partial := partialFile(f.dir,
		config.Pin{Name: "sums-of-" + pin.Name, Version: pin.Version, Arch: pin.Arch,
			URL: pin.Sums})
	text, err := f.source.fresh(ctx, pin.Sums, partial)
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
