package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"strata/artifacts"
)

// unfinishedFolder has the manifest of an unfinished run: the files of earlier runs, and the files
// that the unfinished run has written.
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

// keepUnfinished records the files that the next run has to remove or can use, unless this run has
// finished.
func (b *bundle) keepUnfinished() error {
	if _, err := os.Stat(filepath.Join(b.dir, sumsFile)); err == nil {
		return nil
	}
	folder := filepath.Join(b.dir, unfinishedFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return (&artifacts.Manifest{Artifacts: append(b.supersededEntries(), b.now...)}).Write(folder)
}

// supersededEntries returns the entries of earlier runs whose paths this run has not written.
func (b *bundle) supersededEntries() []artifacts.Entry {
	return slices.DeleteFunc(slices.Clone(b.before), func(old artifacts.Entry) bool {
		return slices.ContainsFunc(b.now,
			func(entry artifacts.Entry) bool { return entry.Path == old.Path })
	})
}

// removeSuperseded removes the files of the superseded entries. It also removes a plugin's folder,
// because Pulumi mistakes an empty folder for the plugin.
func (b *bundle) removeSuperseded() error {
	wrong := []error{os.RemoveAll(filepath.Join(b.dir, unfinishedFolder))}
	for _, old := range b.supersededEntries() {
		gone := filepath.Join(b.dir, old.Path)
		if strings.HasPrefix(old.Path, pluginsFolder+"/") {
			gone = filepath.Dir(gone)
		}
		wrong = append(wrong, os.RemoveAll(gone))
	}
	return errors.Join(wrong...)
}
