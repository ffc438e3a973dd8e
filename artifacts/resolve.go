package artifacts

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"strata/config"
)

// Set lists the artifacts of one stack.
type Set struct {
	projectDir string
	source     string
	all        []Artifact
	images     map[string][]string
}

// Resolve returns the artifacts that a stack needs, with versions and sums from the bundle's
// manifest or the lock. It neither downloads nor hashes files. It fails if the manifest is invalid,
// lacks an artifact or has another version than the configuration, or if the lock lacks an
// artifact. It joins all errors.
func Resolve(cfg *config.Config, projectDir string) (*Set, error) {
	set := &Set{projectDir: projectDir, source: cfg.Artifacts.Source}
	var wrong []error
	take := func(found []Artifact, err error) {
		set.all = append(set.all, found...)
		wrong = append(wrong, err)
	}
	if cfg.Artifacts.Source == config.SourceUpstream {
		lock, err := ReadLock(projectDir)
		if err != nil {
			return nil, err
		}
		set.images = lock.ImageDigests()
		take(fromLock(cfg, lock))
	} else {
		take(fromBundle(cfg, projectDir, cfg.Artifacts.Source, cfg.NeededArtifacts()))
	}
	if cfg.NeedsVMImage() {
		take(vmImage(cfg, projectDir))
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return set, nil
}

func fromLock(cfg *config.Config, lock *Lock) ([]Artifact, error) {
	var found []Artifact
	var missing []string
	from := sourceOf(cfg.Artifacts)
	for _, pin := range cfg.NeededPins() {
		locked, ok := lock.Find(pin)
		if !ok {
			missing = append(missing, strings.TrimSpace(pin.Name+" "+pin.Version+" "+pin.Arch))
			continue
		}
		artifact := locked.artifact(from)
		artifact.For = pin.For
		found = append(found, artifact)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf(
			"%s has no sum for %s; run `strata fetch`, or set strata:artifacts.source to a bundle folder",
			LockFile, strings.Join(missing, ", "))
	}
	return found, nil
}

func fromBundle(cfg *config.Config, projectDir, source string, names []string) ([]Artifact, error) {
	bundle, err := config.ResolvePath(projectDir, source)
	if err != nil {
		return nil, err
	}
	manifest, err := ReadManifest(bundle)
	if err != nil {
		return nil, err
	}
	var found []Artifact
	var wrong []error
	needed := cfg.NeededArtifacts()
	for _, name := range names {
		entries := slices.DeleteFunc(manifest.entries(name, cfg.Hosts.Arch),
			func(entry Entry) bool {
				return entry.For != "" && !slices.Contains(needed, entry.For)
			})
		if err := fits(cfg, name, entries); err != nil {
			wrong = append(wrong, fmt.Errorf("bundle %s: %w", bundle, err))
		}
		for _, entry := range entries {
			found = append(found, entry.artifact(bundle))
		}
	}
	return found, errors.Join(wrong...)
}

// entries returns the entries with a name that fit an architecture.
func (m *Manifest) entries(name, arch string) []Entry {
	var entries []Entry
	for _, entry := range m.Artifacts {
		if entry.Name == name && (entry.Arch == "" || entry.Arch == arch) {
			entries = append(entries, entry)
		}
	}
	return entries
}

// fits returns an error if there is not exactly one entry for name, or if its version is not the
// configured one. K3s may have any number of image archives, because it pulls missing images.
func fits(cfg *config.Config, name string, entries []Entry) error {
	switch {
	case name == config.ArtifactK3sImages:
		return nil
	case len(entries) == 0:
		return fmt.Errorf("%s has no %s for %s; assemble the bundle again", ManifestFile, name,
			cfg.Hosts.Arch)
	case len(entries) > 1:
		return fmt.Errorf("%s has %d entries named %s for %s, expected one", ManifestFile,
			len(entries),
			name, cfg.Hosts.Arch)
	}
	key, wanted := cfg.Explicit(name)
	carried := entries[0].Version
	if wanted != "" && strings.TrimPrefix(wanted, "v") != strings.TrimPrefix(carried, "v") {
		return fmt.Errorf("it carries %s %s, but %s asks for %s; remove the key or use a bundle with that version",
			name, carried, key, wanted)
	}
	return nil
}

// vmImage returns the disk image of virtual machines, from a bundle or from the lock's entry for
// hosts.vm.image.
func vmImage(cfg *config.Config, projectDir string) ([]Artifact, error) {
	if cfg.Artifacts.MachineImage != config.SourceUpstream {
		return fromBundle(cfg, projectDir, cfg.Artifacts.MachineImage,
			[]string{config.ArtifactVMImage})
	}
	lock, err := ReadLock(projectDir)
	if err != nil {
		return nil, err
	}
	pin, _ := cfg.VMImagePin() // Validate requires hosts.vm.image here
	locked, ok := lock.Find(pin)
	if !ok {
		return nil, fmt.Errorf("%s has no sum for %s; run `strata fetch`", LockFile, pin.URL)
	}
	return []Artifact{locked.artifact(sourceOf(cfg.Artifacts))}, nil
}

// Get returns the artifact with a name. It fails if there is none or more than one.
func (s *Set) Get(name string) (Artifact, error) {
	found := s.List(name)
	if len(found) != 1 {
		return Artifact{}, fmt.Errorf("artifact %s: %s has %d, expected one", name, s.source,
			len(found))
	}
	return found[0], nil
}

// List returns the artifacts with a name, in the order of the manifest or of the pins.
func (s *Set) List(name string) []Artifact {
	var found []Artifact
	for _, artifact := range s.all {
		if artifact.Name == name {
			found = append(found, artifact)
		}
	}
	return found
}

// Digest returns the joined sums of all artifacts with a name; "" if there are none. The result
// changes with each of these files.
func (s *Set) Digest(name string) string {
	var sums []string
	for _, artifact := range s.List(name) {
		sums = append(sums, artifact.SHA256)
	}
	return strings.Join(sums, "+")
}

// Artifacts returns all artifacts of the stack.
func (s *Set) Artifacts() []Artifact { return slices.Clone(s.all) }

// ImageDigests returns the digests of the images that nodes pull, from the lock
// (Lock.ImageDigests). It is empty for a bundle: the manifest verifies the archives, and the digest
// of an image from an archive may be unknown to any registry.
func (s *Set) ImageDigests() map[string][]string { return s.images }

// Source returns the configured source: "upstream" or the bundle folder.
func (s *Set) Source() string { return s.source }
