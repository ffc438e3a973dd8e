package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// rooms are the product's folders, from the top down.
var rooms = []string{"cli", "platform", "components", "actions", "health", "artifacts", "config",
	"internal"}

const (
	// largestHealth bounds health's share of the code of all rooms, and largestRoom that of any
	// other room.
	largestHealth, largestRoom = 0.30, 0.25
	// mostFiles and mostLines bound each package, except those with one file per layer or section.
	mostFiles, mostLines = 30, 3000
)

// house holds numbers of lines of code. Blank lines and comments do not count, and a wide line
// counts as several (width).
type house struct {
	// rooms has the lines of each room.
	rooms map[string]int
	// outside are the lines of main.go and the tools.
	outside int
	// tests are the lines of tests, and of packages that only tests use.
	tests int
	// fixtures are the lines of the files that the tests of rooms read.
	fixtures int
	// packages has the size of each package of the product, by folder.
	packages map[string]*size
	// unclear are the functions with unclear names.
	unclear []string
}

// size is a package's size, without its tests.
type size struct{ files, lines int }

// measure counts the lines of the files below a folder.
func measure(root string) (house, error) {
	h := house{rooms: map[string]int{}, packages: map[string]*size{}}
	below := os.DirFS(root)
	err := fs.WalkDir(below, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); name != "." && strings.HasPrefix(name, ".") {
				return fs.SkipDir
			}
			return nil
		}
		text, err := fs.ReadFile(below, file)
		if err != nil {
			return err
		}
		return h.add(file, text)
	})
	return h, err
}

// add counts one file.
func (h *house) add(file string, text []byte) error {
	room, _, _ := strings.Cut(file, "/")
	folder, extension := path.Dir(file), path.Ext(file)
	product := slices.Contains(rooms, room)
	switch {
	case strings.Contains(file, "/testdata/"):
		if product {
			h.fixtures += textLines(text)
		}
	case extension == ".go" && forTests(file):
		h.tests += goLines(text)
	case extension == ".go" && (product || room == "tools" || file == "main.go"):
		h.count(room, folder, goLines(text), 1)
		return h.addNames(file, text)
	case extension == ".sh" && product:
		h.count(room, folder, textLines(text), 0) // the program embeds it
	}
	return nil
}

// forTests reports whether only tests use a file: it is below tests, or in a package such as
// sshtest.
func forTests(file string) bool {
	return strings.HasPrefix(file, "tests/") || strings.HasSuffix(file, "_test.go") ||
		strings.HasSuffix(path.Dir(file), "test")
}

// count adds a file's lines to its room and its package.
func (h *house) count(room, folder string, lines, files int) {
	if !slices.Contains(rooms, room) {
		h.outside += lines
		return
	}
	h.rooms[room] += lines
	one := h.packages[folder]
	if one == nil {
		one = &size{}
		h.packages[folder] = one
	}
	one.files, one.lines = one.files+files, one.lines+lines
}

// product returns the lines of all rooms.
func (h house) product() int {
	sum := 0
	for _, lines := range h.rooms {
		sum += lines
	}
	return sum
}

// share returns a room's share of the lines of all rooms.
func (h house) share(room string) float64 {
	return float64(h.rooms[room]) / float64(max(1, h.product()))
}

// outgrown returns an error that names each room and package above its bounds.
func (h house) outgrown() error {
	var errs []error
	for _, room := range rooms {
		bound := largestRoom
		if room == "health" {
			bound = largestHealth
		}
		if h.share(room) > bound {
			errs = append(errs,
				fmt.Errorf("%s has %.1f %% of the product, more than %.0f %%", room,
					100*h.share(room), 100*bound))
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(h.packages)) {
		one := h.packages[folder]
		if folder != "components" && folder != "config" &&
			(one.files > mostFiles || one.lines > mostLines) {
			errs = append(errs,
				fmt.Errorf("%s has %d files and %d lines, more than %d or %d", folder, one.files,
					one.lines, mostFiles, mostLines))
		}
	}
	if len(h.unclear) > 0 {
		errs = append(errs, fmt.Errorf("%d functions are named by a pronoun, participle or "+
			"preposition alone: name them by verb and noun\n  %s", len(h.unclear),
			strings.Join(h.unclear, "\n  ")))
	}
	return errors.Join(errs...)
}
