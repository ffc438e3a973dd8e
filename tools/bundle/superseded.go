package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"strata/artifacts"
)

// unfinishedFolder has, after a run that did not finish, a manifest of what the folder had before
// it and of what it has placed.
const unfinishedFolder = ".unfinished"

// entriesBefore returns a folder's entries of earlier runs; none if it is new.
func entriesBefore(dir string) []artifacts.Entry {
	for _, folder := range []string{filepath.Join(dir, unfinishedFolder), dir} {
		if manifest, err := artifacts.ReadManifest(folder); err == nil {
			return manifest.Artifacts
		}
	}
	return nil
}

// keepUnfinished notes what the next run has to remove or can use, unless this one has finished.
func (b *bundle) keepUnfinished() error {
	if _, err := os.Stat(filepath.Join(b.dir, sumsFile)); err == nil {
		return nil
	}
	folder := filepath.Join(b.dir, unfinishedFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return (&artifacts.Manifest{Artifacts: append(b.others(), b.now...)}).Write(folder)
}

// others are the entries that the bundle had and has not any more.
func (b *bundle) others() []artifacts.Entry {
	return slices.DeleteFunc(slices.Clone(b.before), func(old artifacts.Entry) bool {
		return slices.ContainsFunc(b.now, func(entry artifacts.Entry) bool { return entry.Path == old.Path })
	})
}

// removeOthers removes the files of these entries, and a plugin's folder with it: Pulumi takes an
// empty one for the plugin.
func (b *bundle) removeOthers() error {
	wrong := []error{os.RemoveAll(filepath.Join(b.dir, unfinishedFolder))}
	for _, old := range b.others() {
		gone := filepath.Join(b.dir, old.Path)
		if strings.HasPrefix(old.Path, pluginsFolder+"/") {
			gone = filepath.Dir(gone)
		}
		wrong = append(wrong, os.RemoveAll(gone))
	}
	return errors.Join(wrong...)
}
