package artifacts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"strata/config"
)

// ProjectPins returns the pins of every stack file of a project, each once, and their source.
// Without stack files, it returns the default ones from upstream. Stacks with different mirrors are
// an error, because a pin is fetched once.
func ProjectPins(project string) ([]config.Pin, config.Artifacts, error) {
	paths, err := filepath.Glob(filepath.Join(project, "Pulumi.*.yaml"))
	if err != nil {
		return nil, config.Artifacts{}, err
	}
	pins := config.Pins()
	from := config.Artifacts{Mirror: os.Getenv(config.MirrorVariable)}
	named := ""
	for _, path := range paths {
		cfg, err := config.FromFile(path)
		if err != nil {
			return nil, config.Artifacts{}, err
		}
		for _, pin := range cfg.Pins() {
			if !slices.Contains(pins, pin) {
				pins = append(pins, pin)
			}
		}
		given := config.Artifacts{Mirror: cfg.Artifacts.Mirror, MirrorCA: cfg.Artifacts.MirrorCA}
		switch {
		case given.Mirror == "":
		case named == "":
			from, named = given, path
		case given != from:
			return nil, config.Artifacts{},
				fmt.Errorf(
					"%s and %s name different mirrors (strata:artifacts.mirror, mirrorCA), and each pin is fetched once: "+
						"give them the same, or set %s and one mirrorCA", named, path, config.MirrorVariable)
		}
	}
	return pins, from, nil
}
