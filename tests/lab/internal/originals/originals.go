package originals

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Variable is the environment variable that names the folder, for the lab and for tests/e2e.
const Variable = "ORIGINALS"

// ReferencesFile is the file with image references that the lab's own images get.
const ReferencesFile = "images.txt"

// imagesSuffix follows an artifact's name in the file names of its image archives.
const imagesSuffix = "-images"

// Original is an upstream artifact: one file of the folder.
type Original struct {
	// Name is the artifact's name, or pulumi-resource-NAME for a plugin. It is empty for an image
	// archive.
	Name string
	// Images is the artifact, such as a chart, that needs the images of this archive. It is empty
	// if the file is not an image archive.
	Images string
	// Version is the version in the file name. For an image archive, it is the label.
	Version string
	// Base is the file's name in the folder. File is its path without symbolic links.
	Base, File string
}

// Set has the contents of a folder.
type Set struct {
	// All are the upstream artifacts, sorted by file name.
	All []Original
	// References are the image references in ReferencesFile.
	References []string
}

var (
	// endings are the file extensions that artifacts may have. A binary has none.
	endings = []string{".tar.zst", ".tar.gz", ".tgz", ".tar", ".yaml", ".yml", ".sh"}
	version = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+_-]*$`)
	// leftToUser matches files in the folder that are not artifacts.
	leftToUser = regexp.MustCompile(`^(\.|README|strata\.lock$)`)
)

// Read reads a folder of upstream artifacts. known are the names of all artifacts. The error lists
// every file with an unknown name, an invalid version, or the same artifact as another file, so
// that no file is silently ignored. An empty dir gives an empty set.
func Read(dir string, known []string) (Set, error) {
	var set Set
	if dir == "" {
		return set, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return set, fmt.Errorf("%s: %w", Variable, err)
	}
	var wrong []error
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		switch {
		case leftToUser.MatchString(entry.Name()):
		case entry.Name() == ReferencesFile:
			set.References, err = references(path)
			wrong = append(wrong, err)
		default:
			original, err := parse(path, known)
			wrong = append(wrong, err, set.twice(original))
			set.All = append(set.All, original)
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return Set{}, fmt.Errorf("%s=%s:\n%w", Variable, dir, err)
	}
	return set, nil
}

// Some returns an error if dir is set, but the set has neither an artifact nor a reference.
func (s Set) Some(dir string) error {
	if dir == "" || len(s.All)+len(s.References) > 0 {
		return nil
	}
	return fmt.Errorf("%s=%s has no original: see tests/lab/originals.md for the names", Variable, dir)
}

// parse returns the artifact that a file's name identifies.
func parse(path string, known []string) (Original, error) {
	base := filepath.Base(path)
	info, err := os.Stat(path)
	if err != nil {
		return Original{}, err
	}
	stem := base
	for _, ending := range endings {
		if cut, found := strings.CutSuffix(base, ending); found {
			stem = cut
			break
		}
	}
	// The longest known name wins. Otherwise, k3s-images-1 would be k3s with the version images-1.
	name := ""
	for _, one := range known {
		for _, candidate := range []string{one, one + imagesSuffix} {
			if len(candidate) > len(name) && strings.HasPrefix(stem, candidate+"-") {
				name = candidate
			}
		}
	}
	file, err := filepath.EvalSymlinks(path)
	if err != nil {
		return Original{}, err
	}
	found := Original{Name: name, Version: strings.TrimPrefix(stem, name+"-"), Base: base, File: file}
	if images, is := strings.CutSuffix(name, imagesSuffix); is {
		found.Name, found.Images = "", images
	}
	switch {
	case name == "":
		return Original{}, fmt.Errorf("%s: no artifact has this name; known are ARTIFACT-VERSION "+
			"and ARTIFACT-images-LABEL of %s", base, strings.Join(known, ", "))
	case !info.Mode().IsRegular():
		return Original{}, fmt.Errorf("%s: it is no file", base)
	case !version.MatchString(found.Version):
		return Original{}, fmt.Errorf("%s: %q is no version", base, found.Version)
	}
	return found, nil
}

// twice returns an error if the set already has a file for the same artifact. An artifact may have
// several image archives.
func (s Set) twice(one Original) error {
	i := slices.IndexFunc(s.All, func(other Original) bool { return one.Name != "" && other.Name == one.Name })
	if i < 0 {
		return nil
	}
	return fmt.Errorf("%s and %s: both are %s; keep one", s.All[i].Base, one.Base, one.Name)
}

// Named returns the upstream artifact with a name, and reports whether it exists.
func (s Set) Named(name string) (Original, bool) {
	i := slices.IndexFunc(s.All, func(one Original) bool { return name != "" && one.Name == name })
	if i < 0 {
		return Original{}, false
	}
	return s.All[i], true
}

// ImagesOf returns the image archives that an artifact needs.
func (s Set) ImagesOf(artifact string) []Original {
	return slices.DeleteFunc(slices.Clone(s.All),
		func(one Original) bool { return one.Images == "" || one.Images != artifact })
}

// Reference returns the listed reference that has the same repository as other; empty if there is
// none.
func (s Set) Reference(other string) string {
	for _, one := range s.References {
		if repository(one) == repository(other) {
			return one
		}
	}
	return ""
}

// repository returns an image reference without its tag.
func repository(reference string) string {
	if at := strings.LastIndexByte(reference, ':'); at > strings.LastIndexByte(reference, '/') {
		return reference[:at]
	}
	return reference
}

// references reads a file of image references. Empty lines and lines that begin with # are ignored.
func references(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var found []string
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if repository(line) == line || strings.ContainsAny(line, " \t@") {
			return nil, fmt.Errorf("%s: %q is no reference with a tag", ReferencesFile, line)
		}
		found = append(found, line)
	}
	return found, nil
}
