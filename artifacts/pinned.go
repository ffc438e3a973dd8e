package artifacts

import "strata/config"

// NewPinnedSet returns a set with only the names and versions of a stack's artifacts, from the
// configuration and the pins. It describes a stack without its bundle or lock. The artifacts have
// no sums, so they cannot be materialised.
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
