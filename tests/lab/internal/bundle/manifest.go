package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ManifestFile is the manifest's name in its folder.
const ManifestFile = "manifest.json"

// Manifest lists the artifacts of a folder with their checksums.
type Manifest struct {
	// Artifacts are sorted by name and path.
	Artifacts []Artifact `json:"artifacts"`
}

// Artifact is one file of the folder.
type Artifact struct {
	// Name is the artifact's name in Strata. Several files may share a name, for example image
	// archives.
	Name string `json:"name"`
	// Version is the upstream version of the content.
	Version string `json:"version"`
	// For is the chart whose Pods use the images in this file. It is empty for images that every
	// node needs, and for a file without images.
	For string `json:"for,omitempty"`
	// Path is relative to the folder, with slashes.
	Path string `json:"path"`
	// SHA256 is the lower-case hexadecimal digest of the content.
	SHA256 string `json:"sha256"`
	// Size is in bytes.
	Size int64 `json:"size"`
	// Origin describes where the file comes from: "real: …", "stand-in: …" or "original: …".
	Origin string `json:"origin"`
}

// OriginOriginal is the prefix of Origin for an upstream artifact from the folder $ORIGINALS.
const OriginOriginal = "original: "

// Stands reports whether the artifact is a stand-in.
func (a Artifact) Stands() bool { return strings.HasPrefix(a.Origin, "stand-in:") }

// Encode returns the manifest as JSON. Equal manifests give equal bytes.
func (m Manifest) Encode() ([]byte, error) {
	sorted := Manifest{Artifacts: slices.Clone(m.Artifacts)}
	slices.SortFunc(sorted.Artifacts, func(a, b Artifact) int {
		return strings.Compare(a.Name+"\x00"+a.Path, b.Name+"\x00"+b.Path)
	})
	var problems []error
	paths, names := map[string]bool{}, map[string]bool{"": true}
	for _, artifact := range sorted.Artifacts {
		names[artifact.Name] = true
	}
	for _, artifact := range sorted.Artifacts {
		problems = append(problems, artifact.check())
		if !names[artifact.For] {
			problems = append(problems, fmt.Errorf("%s: it is for %q, which is not there", artifact.Path, artifact.For))
		}
		if paths[artifact.Path] {
			problems = append(problems, fmt.Errorf("path %s is there twice", artifact.Path))
		}
		paths[artifact.Path] = true
	}
	if err := errors.Join(problems...); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(sorted); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	return text.Bytes(), nil
}

// check returns an error for a value that Strata would reject.
func (a Artifact) check() error {
	switch {
	case a.Name == "" || a.Version == "":
		return fmt.Errorf("%s: name %q and version %q must be set", a.Path, a.Name, a.Version)
	case !filepath.IsLocal(filepath.FromSlash(a.Path)) || a.Path == ManifestFile:
		return fmt.Errorf("%s: path %q must be inside the folder", a.Name, a.Path)
	case len(a.SHA256) != 64:
		return fmt.Errorf("%s: sha256 %q must have 64 digits", a.Path, a.SHA256)
	case !a.Stands() && !strings.HasPrefix(a.Origin, "real:") && !strings.HasPrefix(a.Origin, OriginOriginal):
		return fmt.Errorf("%s: origin %q must begin with \"real:\", \"stand-in:\" or \"original:\"", a.Path, a.Origin)
	}
	return nil
}

// Read reads the manifest of a folder. The error wraps os.ErrNotExist if there is no manifest.
func Read(dir string) (Manifest, error) {
	text, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if err != nil {
		return Manifest{}, fmt.Errorf("reading the manifest: %w", err)
	}
	var manifest Manifest
	if err := json.Unmarshal(text, &manifest); err != nil {
		return Manifest{}, fmt.Errorf("reading the manifest of %s: %w", dir, err)
	}
	return manifest, nil
}
