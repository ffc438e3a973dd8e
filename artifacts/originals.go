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

// together lists artifacts that need each other at the same version.
var together = [][]string{
	{config.ArtifactK3s, config.ArtifactK3sInstall, config.ArtifactK3sImages},
	{config.ArtifactTraefikChart, config.ArtifactTraefikCRDs},
	{config.ArtifactAPISIXChart, config.ArtifactAPISIXControllerChart, config.ArtifactAPISIXCRDs},
}

// Filled is the result of filling a folder of originals.
type Filled struct {
	// Names are the requested artifacts that the folder now has.
	Names []string
	// Entries are their files in the format of a bundle's manifest, with paths relative to the
	// folder. The sum of a plugin is that of its archive.
	Entries []Entry
	// Left are existing files under an artifact's name that were not fetched here. Their artifacts
	// were left alone.
	Left []string
	// Missing names the failed downloads with their reasons; nil if all succeeded. An artifact also
	// counts as missing if it needs another artifact that is missing.
	Missing error
}

// Originals fills a folder with the files of pins, named ARTIFACT-VERSION as the lab reads them
// (tests/lab/internal/originals). It downloads from the configured source. It checks sums against
// known, a project's lock, and against the folder's own lock, which it writes. It removes the files
// of earlier calls at other versions, and leaves other files. A wrong sum or an interrupt is an
// error, and never counts as a missing file. out receives the progress.
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
	// An interrupted download looks like a host that does not answer.
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

// missingOf joins failures if all of them are failed downloads. It returns nil if one has another
// cause.
func missingOf(failures []error) error {
	for _, failure := range failures {
		var gone *unavailableError
		if !errors.As(failure, &gone) {
			return nil
		}
	}
	return errors.Join(failures...)
}

// goesWith returns the artifacts that must have the same version as an artifact, including itself.
func goesWith(name string) []string {
	for _, group := range together {
		if slices.Contains(group, name) {
			return group
		}
	}
	return []string{name}
}

// isIncomplete reports whether an artifact that must go with this one was requested and failed.
func isIncomplete(name string, fetched []Locked, pins []config.Pin) bool {
	return slices.ContainsFunc(goesWith(name), func(other string) bool {
		asked := slices.ContainsFunc(pins, func(pin config.Pin) bool { return pin.Name == other })
		came := slices.ContainsFunc(fetched, func(one Locked) bool { return one.Name == other })
		return asked && !came
	})
}

// OriginalName returns the file's name in a folder of originals.
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

// place puts a file of the cache into the folder.
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
	// A rename between two names of one file does nothing, and leaves both.
	if err := os.RemoveAll(temporary); err != nil {
		return err
	}
	return Verify(target, one.SHA256)
}

// unpack puts a plugin into the folder, and records its sum.
func (l *Locked) unpack(archive, target string) error {
	// Unpack compares a program's size and time, which may match although the content differs.
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

// leftAlone returns the files of the folder that have the name of a pin's artifact and were not
// fetched by Strata.
func leftAlone(dir string, lock *Lock, pins []config.Pin) []string {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil // the lock in it was read
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

// isOf reports whether a file's name is that of an artifact at any version.
func isOf(file, artifact string) bool {
	return regexp.MustCompile("^" + regexp.QuoteMeta(artifact) + "-v?[0-9]").MatchString(file)
}

// removeOlder removes the files of earlier calls at other versions.
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
