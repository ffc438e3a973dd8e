package artifacts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"strata/config"
	"strata/internal/files/digest"
)

// together lists groups of artifacts that must have matching versions.
var together = [][]string{
	{config.ArtifactK3s, config.ArtifactK3sInstall, config.ArtifactK3sImages},
	{config.ArtifactTraefikChart, config.ArtifactTraefikCRDs},
	{config.ArtifactAPISIXChart, config.ArtifactAPISIXControllerChart, config.ArtifactAPISIXCRDs},
}

// Filled is the result of Originals.
type Filled struct {
	// Names lists the requested artifacts whose files are in the folder now.
	Names []string
	// Entries describes the files of these artifacts as in a bundle's manifest, with paths relative
	// to the folder. The sum of a plugin is that of its archive.
	Entries []Entry
	// Left lists files in the folder that have the name of a requested artifact and that Strata did
	// not write. Originals fetches neither these artifacts nor those whose versions must match
	// theirs.
	Left []string
	// Missing joins the errors of failed downloads; nil if there are none. After a failed download,
	// the artifacts whose versions must match are not placed either.
	Missing error
}

// Originals downloads pins into a folder, with files named ARTIFACT-VERSION as the lab expects them
// (tests/lab/internal/originals). It verifies sums with known, a project's lock, and with the
// folder's own lock, which it writes. It removes files that it has fetched earlier at a different
// version, and no other files. Failed downloads are only reported in Missing; a wrong sum or an
// interrupt is an error. out receives the progress.
func Originals(
	ctx context.Context, dir string, known *Lock, from config.Artifacts, pins []config.Pin,
	out io.Writer,
) (Filled, error) {
	unlock, err := lockFolder(ctx, dir, func() {
		_,
			_ = fmt.Fprintln(out, "waiting for another run that fills", dir)
	})
	if err != nil {
		return Filled{}, err
	}
	defer unlock()
	before, err := ReadLock(dir)
	if err != nil {
		return Filled{}, err
	}
	filled := Filled{Left: leftAlone(dir, before, pins)}
	pins = slices.DeleteFunc(slices.Clone(pins), func(pin config.Pin) bool {
		return slices.ContainsFunc(filled.Left, func(file string) bool {
			return slices.ContainsFunc(goesWith(pin.Name),
				func(name string) bool { return isOf(file, name) })
		})
	})
	f := &fetcher{projectDir: dir, source: sourceOf(from), old: before.With(known.Artifacts),
		hosts: &hosts{}}
	fetched, failures, err := f.fetchPins(ctx, pins, out)
	// If ctx was interrupted, return its error, so that it does not count as a failed download.
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return filled, err
	}
	missing := missingOf(failures)
	if err := errors.Join(failures...); err != nil && missing == nil {
		return filled, err
	}
	whole := slices.DeleteFunc(fetched, func(one Locked) bool {
		return isIncomplete(one.Name, fetched,
			pins)
	})
	filled.Missing = missing
	for i := range whole {
		one := &whole[i]
		if err := f.place(one, dir); err != nil {
			return filled, fmt.Errorf("%s: %w", one.OriginalName(), err)
		}
		filled.Names = append(filled.Names, one.Name)
		filled.Entries = append(filled.Entries, Entry{
			Name: one.Name, Version: one.Version, Arch: one.Arch, Path: one.OriginalName(),
			SHA256: one.SHA256, Size: one.Size, Origin: "real: " + one.URL,
		})
	}
	if err := removeOlder(dir, before, whole); err != nil {
		return filled, err
	}
	return filled, before.With(whole).Write(dir)
}

// missingOf joins failures if all are failed downloads. It returns nil if one has another cause.
func missingOf(failures []error) error {
	for _, failure := range failures {
		var gone *unavailableError
		if !errors.As(failure, &gone) {
			return nil
		}
	}
	return errors.Join(failures...)
}

// goesWith returns the artifacts whose version must match that of an artifact, including itself.
func goesWith(name string) []string {
	for _, group := range together {
		if slices.Contains(group, name) {
			return group
		}
	}
	return []string{name}
}

// isIncomplete reports whether name, or an artifact whose version must match, was requested but not
// fetched.
func isIncomplete(name string, fetched []Locked, pins []config.Pin) bool {
	return slices.ContainsFunc(goesWith(name), func(other string) bool {
		asked := slices.ContainsFunc(pins, func(pin config.Pin) bool { return pin.Name == other })
		came := slices.ContainsFunc(fetched, func(one Locked) bool { return one.Name == other })
		return asked && !came
	})
}

// OriginalName returns the file's name in a folder that Originals fills.
func (l Locked) OriginalName() string {
	name := l.Name + "-" + l.Version
	if isPlugin(l.Name) {
		return name
	}
	for _, extension := range append(extensions, ".yml") {
		if strings.HasSuffix(l.URL, extension) {
			return name + strings.Replace(extension, ".yml", ".yaml", 1)
		}
	}
	return name
}

// place puts a cached file into the folder under its OriginalName.
func (f *fetcher) place(one *Locked, dir string) error {
	cached := filepath.Join(f.dir, one.artifact(nil).FileName())
	target := filepath.Join(dir, one.OriginalName())
	if isPlugin(one.Name) {
		return one.unpack(cached, target)
	}
	if hasSum(target, one.SHA256) {
		return nil
	}
	temporary := filepath.Join(dir, ".part-"+one.OriginalName())
	if err := os.RemoveAll(temporary); err != nil {
		return err
	}
	if err := link(cached, temporary); err != nil {
		return err
	}
	if err := os.Rename(temporary, target); err != nil {
		return err
	}
	// A rename between two hard links of one file does nothing, so the temporary name must be
	// removed.
	if err := os.RemoveAll(temporary); err != nil {
		return err
	}
	return Verify(target, one.SHA256)
}

// unpack extracts a plugin's program into the folder, and sets Program to its sum.
func (l *Locked) unpack(archive, target string) error {
	// Unpack skips a program with the archive's size and time, even if its content differs. So a
	// program with another sum is removed first.
	if l.Program != "" && Verify(target, l.Program) != nil {
		if err := os.RemoveAll(target); err != nil {
			return err
		}
	}
	if err := Unpack(archive, l.Name, target); err != nil {
		return err
	}
	sum, err := digest.File(target)
	l.Program = sum
	return err
}

// leftAlone returns the files in the folder that are named after a pin's artifact, but are not in
// the folder's lock. Strata did not write these files.
func leftAlone(dir string, lock *Lock, pins []config.Pin) []string {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil // cannot fail: lockFolder has created the folder
	}
	var left []string
	for _, file := range files {
		ours := slices.ContainsFunc(lock.Artifacts,
			func(one Locked) bool { return one.OriginalName() == file.Name() })
		of := slices.ContainsFunc(pins, func(pin config.Pin) bool {
			return isOf(file.Name(),
				pin.Name)
		})
		if of && !ours {
			left = append(left, file.Name())
		}
	}
	return left
}

// isOf reports whether a file is named after an artifact, at any version.
func isOf(file, artifact string) bool {
	return regexp.MustCompile("^" + regexp.QuoteMeta(artifact) + "-v?[0-9]").MatchString(file)
}

// removeOlder removes files of the folder's earlier lock that a new version replaces.
func removeOlder(dir string, before *Lock, now []Locked) error {
	for _, old := range before.Artifacts {
		replaced := slices.ContainsFunc(now, func(one Locked) bool {
			return one.Name == old.Name && one.OriginalName() != old.OriginalName()
		})
		if !replaced {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, old.OriginalName())); err != nil {
			return err
		}
	}
	return nil
}
