package artifacts

import (
	"path/filepath"
	"slices"

	"strata/config"
)

// ProjectPins are the pins of every stack file of a project, each once; without stack files, the default ones.
func ProjectPins(project string) ([]config.Pin, error) {
	paths, err := filepath.Glob(filepath.Join(project, "Pulumi.*.yaml"))
	if err != nil {
		return nil, err
	}
	pins := config.Pins(config.Versions{})
	for _, path := range paths {
		cfg, err := config.FromFile(path)
		if err != nil {
			return nil, err
		}
		for _, pin := range cfg.Pins() {
			if !slices.Contains(pins, pin) {
				pins = append(pins, pin)
			}
		}
	}
	return pins, nil
}
