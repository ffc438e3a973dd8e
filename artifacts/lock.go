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

// LockFile is the lock's name in the project.
const LockFile = "strata.lock"

// lockHeader opens the lock.
const lockHeader = "# Written by `strata fetch`; commit it. Each sum was taken from a download, never typed.\n"

// Lock records the sums of the files that were fetched from upstream.
type Lock struct {
	// Artifacts are sorted by name, architecture and version.
	Artifacts []Locked `json:"artifacts"`
}

// Locked is one file as upstream served it.
type Locked struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Arch    string `json:"arch,omitempty"`
	URL     string `json:"url"`
	SHA256  string `json:"sha256"`
	Size    int64  `json:"size"`
	// Program is the sum of a plugin's program, for an entry in a folder of originals, which keeps
	// the unpacked program only. SHA256 is the sum of the archive then.
	Program string `json:"program,omitempty"`
	// Digests are all digests under which registries serve an image, as sha256:HEX: the index's
	// digest first, then that of each platform's manifest. SHA256 is the digest of the manifest for
	// Arch. Digests is empty for other files, and for an image that was recorded without digests.
	// Running images are not compared with such an entry.
	Digests []string `json:"digests,omitempty"`
}

// ReadLock reads the project's lock; without the file it is empty.
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

// Write stores the lock in the project, sorted.
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

// Find returns the locked file of a pin.
func (l *Lock) Find(pin config.Pin) (Locked, bool) {
	i := slices.IndexFunc(l.Artifacts, Locked{Name: pin.Name, Version: pin.Version, Arch: pin.Arch,
		URL: pin.URL}.same)
	if i < 0 {
		return Locked{}, false
	}
	return l.Artifacts[i], true
}

// same reports whether another entry is for the same file, with any content.
func (l Locked) same(other Locked) bool {
	return l.Name == other.Name && l.Version == other.Version && l.Arch == other.Arch &&
		l.URL == other.URL
}

// artifact returns the entry's file, with from as its source.
func (l Locked) artifact(from *source) Artifact {
	return Artifact{
		Name: l.Name, Version: l.Version, Arch: l.Arch, SHA256: l.SHA256, Size: l.Size,
		Origin: "real: " + l.URL, url: l.URL, from: from,
	}.place(l.URL)
}
