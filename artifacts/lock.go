package artifacts

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"

	"strata/config"
	"strata/internal/files/atomicfile"
)

// LockFile is the name of the lock file in the project.
const LockFile = "strata.lock"

// lockHeader is the first line of the lock file.
const lockHeader = "# Written by `strata fetch`; commit it. Each sum was taken from a download, never typed.\n"

// Lock lists the sums of the fetched upstream files and built images.
type Lock struct {
	// Artifacts is sorted by name, architecture and version.
	Artifacts []Locked `json:"artifacts"`
}

// Locked is the lock's entry for one file.
type Locked struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Arch    string `json:"arch,omitempty"`
	URL     string `json:"url"`
	SHA256  string `json:"sha256"`
	Size    int64  `json:"size"`
	// Program is the sum of a plugin's program. Only Originals sets it, because its folder has the
	// unpacked program instead of the archive; SHA256 is the sum of the archive.
	Program string `json:"program,omitempty"`
	// Digests lists all digests under which registries serve an image, as sha256:HEX: first that of
	// the index, then those of the platforms' manifests. SHA256 is the digest of the manifest for
	// Arch. If Digests is empty, running images are not compared with the entry.
	Digests []string `json:"digests,omitempty"`
}

// ReadLock reads the project's lock. It returns an empty lock if the file does not exist.
func ReadLock(projectDir string) (*Lock, error) {
	text, err := os.ReadFile(filepath.Join(projectDir, LockFile))
	if errors.Is(err, fs.ErrNotExist) {
		return &Lock{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	var lock Lock
	if err := yaml.UnmarshalStrict(text, &lock); err != nil {
		return nil, fmt.Errorf("%s: %w; restore it from version control or run `strata fetch`",
			LockFile, err)
	}
	for _, locked := range lock.Artifacts {
		if !hexSum.MatchString(locked.SHA256) {
			return nil, fmt.Errorf("%s: %s: sha256 %q is not 64 lower case hex digits", LockFile,
				locked.Name, locked.SHA256)
		}
	}
	return &lock, nil
}

// Write writes the lock to the project, sorted.
func (l *Lock) Write(projectDir string) error {
	slices.SortFunc(l.Artifacts, func(a, b Locked) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Arch, b.Arch),
			cmp.Compare(a.Version, b.Version))
	})
	text, err := yaml.Marshal(l)
	if err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(projectDir, LockFile),
		append([]byte(lockHeader), text...),
		0o644); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	return nil
}

// Find returns the entry of a pin, and false if there is none.
func (l *Lock) Find(pin config.Pin) (Locked, bool) {
	i := slices.IndexFunc(l.Artifacts, Locked{Name: pin.Name, Version: pin.Version, Arch: pin.Arch,
		URL: pin.URL}.same)
	if i < 0 {
		return Locked{}, false
	}
	return l.Artifacts[i], true
}

// same reports whether two entries are for the same file; their sums may differ.
func (l Locked) same(other Locked) bool {
	return l.Name == other.Name && l.Version == other.Version && l.Arch == other.Arch &&
		l.URL == other.URL
}

// artifact returns the entry as an Artifact that the source from downloads.
func (l Locked) artifact(from *source) Artifact {
	return Artifact{
		Name: l.Name, Version: l.Version, Arch: l.Arch, SHA256: l.SHA256, Size: l.Size,
		Origin: "real: " + l.URL, url: l.URL, from: from,
	}.place(l.URL)
}
