package artifacts

import "strata/config"

// NewPinnedSet returns the set with the names and versions of the configuration and the pins. It
// reads neither a bundle nor the lock, so no artifact has a sum, and none can be materialised. It
// describes a stack even if its artifacts are missing.
func NewPinnedSet(cfg *config.Config) *Set {
	set := &Set{source: cfg.Artifacts.Source}
	take := func(name, version string) {
		set.all = append(set.all, Artifact{Name: name, Version: version}.place(""))
	}
	for _, pin := range cfg.NeededPins() {
		take(pin.Name, pin.Version)
	}
	if cfg.NeedsVMImage() {
		take(config.ArtifactVMImage, "")
	}
	return set
}
