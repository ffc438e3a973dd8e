package artifacts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"strata/internal/files/atomicfile"
)

// ManifestFile is the name of the manifest in a bundle folder.
const ManifestFile = "manifest.json"

// Manifest lists a bundle's files.
type Manifest struct {
	Artifacts []Entry `json:"artifacts"`
}

// Entry is one file of a bundle.
type Entry struct {
	// Name is the logical name. Several entries may have the same name.
	Name string `json:"name"`
	// Version is the version of the file's content.
	Version string `json:"version"`
	// Arch is the processor architecture as in GOARCH; empty if the file fits all hosts.
	Arch string `json:"arch,omitempty"`
	// For is the name of the artifact that needs this file, for example the chart whose images are
	// in an archive. It is empty if every stack needs the file.
	For string `json:"for,omitempty"`
	// Path is relative to the bundle folder.
	Path string `json:"path"`
	// SHA256 is the file's sum in lower case hex, Size its size in bytes.
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	// Origin describes the file's source. It begins with `real:`, `stand-in:` or `original:`.
	Origin string `json:"origin"`
}

var (
	hexSum = regexp.MustCompile(`^[0-9a-f]{64}$`)
	origin = regexp.MustCompile(`^(real|stand-in|original):`)
	// fileWord matches texts that may be part of a file name.
	fileWord = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+_-]*$`)
)

// ReadManifest reads and validates the manifest of a bundle folder. It does not read the listed
// files.
func ReadManifest(bundle string) (*Manifest, error) {
	file := filepath.Join(bundle, ManifestFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf(
			"%s is not there: %s is no bundle folder; set strata:artifacts.source to one, or to upstream",
			file, bundle)
	}
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	var manifest Manifest
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, fmt.Errorf("%s: %w; assemble the bundle again", file, err)
	}
	var wrong []error
	for i, entry := range manifest.Artifacts {
		if err := entry.check(); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: artifacts[%d] (%s): %w", file, i,
				entry.Name, err))
		}
		// Check For, because a misspelt name would exclude the entry from every stack.
		if entry.For != "" && !manifest.has(entry.For) {
			wrong = append(wrong,
				fmt.Errorf("%s: artifacts[%d] (%s): for %q names no artifact of the bundle",
					file, i,
					entry.Name, entry.For))
		}
	}
	return &manifest, errors.Join(wrong...)
}

// Write writes the manifest to a bundle folder.
func (m *Manifest) Write(bundle string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	return atomicfile.Write(filepath.Join(bundle, ManifestFile), append(text, '\n'), 0o644)
}

// has reports whether the bundle has an artifact with this name.
func (m *Manifest) has(name string) bool {
	return slices.ContainsFunc(m.Artifacts, func(entry Entry) bool { return entry.Name == name })
}

func (e Entry) check() error {
	switch {
	case !fileWord.MatchString(e.Name):
		return fmt.Errorf("name %q is not a word", e.Name)
	case !fileWord.MatchString(e.Version):
		return fmt.Errorf("version %q is not a version", e.Version)
	case !hexSum.MatchString(e.SHA256):
		return fmt.Errorf("sha256 %q is not 64 lower case hex digits", e.SHA256)
	case !filepath.IsLocal(e.Path):
		return fmt.Errorf("path %q leaves the bundle folder", e.Path)
	case !origin.MatchString(e.Origin):
		return fmt.Errorf("origin %q begins with neither \"real:\", \"stand-in:\" nor \"original:\"", e.Origin)
	}
	return nil
}

// artifact returns the entry as an artifact of the bundle.
func (e Entry) artifact(bundle string) Artifact {
	return Artifact{
		Name: e.Name, Version: e.Version, Arch: e.Arch, For: e.For, SHA256: e.SHA256, Size: e.Size,
		Origin: e.Origin,
		source: filepath.Join(bundle, e.Path),
	}.place(e.Path)
}
