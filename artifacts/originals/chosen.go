package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"strata/artifacts"
	"strata/config"
	"strata/internal/files/atomicfile"
)

// Sources of an artifact.
const (
	fromLab      = "lab"
	fromUpstream = "upstream"
)

// chosen holds the source of each artifact, as the stack's first run chose it.
type chosen map[string]string

// readChosen reads the list of a deployed stack. Without a list, as in older stacks, the files in
// the folder are from upstream and the rest from the lab.
func readChosen(file, folder string, pins []config.Pin) (chosen, error) {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	all := chosen{}
	for line := range strings.Lines(string(text)) {
		name, from, _ := strings.Cut(strings.TrimSpace(line), " ")
		if from != fromLab && from != fromUpstream {
			return nil, fmt.Errorf("%s: %q is no artifact with lab or upstream; remove the file, to take what %s has",
				file, strings.TrimSpace(line), folder)
		}
		all[name] = from
	}
	if err == nil {
		return all, nil
	}
	lock, err := artifacts.ReadLock(folder)
	if err != nil {
		return nil, err
	}
	if len(lock.Artifacts) == 0 {
		return nil, fmt.Errorf(
			"the stack was brought up with what was downloaded into %s, and neither that folder is there nor %s, which says what it was; "+
				"bring one back, or ARTIFACTS=lab or upstream decides otherwise, which may change K3s", folder, file)
	}
	for _, pin := range pins {
		if all[pin.Name] = fromLab; len(filesOf(folder, lock, pin.Name)) > 0 {
			all[pin.Name] = fromUpstream
		}
	}
	return all, nil
}

// write stores the list, sorted.
func (c chosen) write(file string) error {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c)) {
		fmt.Fprintln(&text, name, c[name])
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(file, []byte(text.String()), 0o644)
}

// offered returns the pins that may be downloaded: not those that the stack has from the lab, nor
// artifacts that go with them.
func (c chosen) offered(pins []config.Pin) []config.Pin {
	return slices.DeleteFunc(slices.Clone(pins), func(pin config.Pin) bool {
		return slices.ContainsFunc(artifacts.GoesWith(pin.Name), func(name string) bool { return c[name] == fromLab })
	})
}

// lost returns an error that names artifacts which the stack has from upstream and which did not
// come. The lab's in their place would change the running cluster. Plugins are compiled instead,
// because they are no part of a cluster.
func (c chosen) lost(pins []config.Pin, filled artifacts.Filled) error {
	var names []string
	for _, pin := range pins {
		if c[pin.Name] == fromUpstream && !slices.Contains(filled.Names, pin.Name) &&
			!isPlugin(pin.Name) && !leftAlone(filled, pin.Name) {
			names = append(names, pin.Name+" "+pin.Version)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf(
		"the stack is up with upstream's artifacts, and these did not come: %s. Try again where they can be had, or give them in ORIGINALS=DIR; "+
			"ARTIFACTS=lab takes all of the lab's, which may change K3s. The reason:\n%w",
		strings.Join(names, ", "), filled.Missing)
}

// update records the present source of each pin.
func (c chosen) update(pins []config.Pin, filled artifacts.Filled) {
	for _, pin := range pins {
		switch {
		case slices.Contains(filled.Names, pin.Name):
			c[pin.Name] = fromUpstream
		case !leftAlone(filled, pin.Name):
			c[pin.Name] = fromLab
		}
	}
}

// leftAlone reports whether the folder has a file of the user's own for an artifact, or for one
// that goes with it.
func leftAlone(filled artifacts.Filled, name string) bool {
	return slices.ContainsFunc(filled.Left, func(file string) bool {
		return slices.ContainsFunc(artifacts.GoesWith(name), func(one string) bool {
			return strings.HasPrefix(file, one+"-")
		})
	})
}

func isPlugin(name string) bool { return strings.HasPrefix(name, "pulumi-resource-") }

// filesOf returns those files of an artifact that were downloaded into a folder and still exist.
func filesOf(folder string, lock *artifacts.Lock, name string) (files []string) {
	for _, one := range lock.Artifacts {
		file := filepath.Join(folder, one.OriginalName())
		if _, err := os.Stat(file); err == nil && one.Name == name {
			files = append(files, file)
		}
	}
	return files
}

// intact returns nil if a folder has all of the pins at their versions, as they were downloaded.
func intact(folder string, lock *artifacts.Lock, pins []config.Pin) error {
	for _, pin := range pins {
		one, known := lock.Find(pin)
		if !known {
			return fmt.Errorf("%s %s: %w", pin.Name, pin.Version, fs.ErrNotExist)
		}
		if err := one.VerifyOriginal(folder); err != nil {
			return err
		}
	}
	return nil
}

// removeOthers removes an earlier fill's files of artifacts that did not come now: the lab would
// use the old version.
func removeOthers(folder string, pins []config.Pin, filled artifacts.Filled) error {
	lock, err := artifacts.ReadLock(folder)
	if err != nil {
		return err
	}
	var wrong []error
	for _, pin := range pins {
		if slices.Contains(filled.Names, pin.Name) {
			continue
		}
		for _, file := range filesOf(folder, lock, pin.Name) {
			wrong = append(wrong, os.Remove(file))
		}
	}
	return errors.Join(wrong...)
}
