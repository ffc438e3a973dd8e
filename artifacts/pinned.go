package artifacts

import "strata/config"

// Pinned is the set by the names and versions that the configuration and the pins have, without
// reading a bundle or the lock: no artifact has a sum, and nothing can be materialised. It says
// what a stack would be made of, also where its artifacts are not.
func Pinned(cfg *config.Config) *Set {
	set := &Set{source: cfg.Artifacts.Source}
	take := func(name, version string) {
		set.all = append(set.all, Artifact{Name: name, Version: version}.place(""))
	}
	for _, pin := range cfg.NeededPins() {
		take(pin.Name, pin.Version)
	}
	switch {
	case cfg.Hosts.Driver == config.DriverMachine:
		take(config.ArtifactMachineImage, "")
	case cfg.NeedsVMImage():
		take(config.ArtifactVMImage, "")
	}
	return set
}
