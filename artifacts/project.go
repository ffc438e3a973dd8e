package artifacts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"strata/config"
)

// StackConfigs returns the paths and configurations of the given stack files, or of all stack files
// in the project if files is empty. A file Pulumi.STACK.yaml or STACK.yaml belongs to the stack
// STACK.
func StackConfigs(project string, files []string) (paths []string, stacks []*config.Config,
	err error) {
	paths = files
	if len(paths) == 0 {
		if paths, err = filepath.Glob(config.StackFile(project, "*")); err != nil {
			return nil, nil, err
		}
	}
	for _, path := range paths {
		name := filepath.Base(path)
		stack := strings.TrimPrefix(strings.TrimSuffix(name, filepath.Ext(name)), "Pulumi.")
		cfg, err := config.OfAnyStack(project, stack, path)
		if err != nil {
			return nil, nil, err
		}
		stacks = append(stacks, cfg)
	}
	return paths, stacks, nil
}

// ProjectPins returns the default pins and those of the given stack files, without duplicates, and
// the source to download them from. If files is empty, it reads all stack files in the project. It
// fails if stacks have different mirrors, because each pin is fetched once.
func ProjectPins(project string, files ...string) ([]config.Pin, config.Artifacts, error) {
	paths, stacks, err := StackConfigs(project, files)
	if err != nil {
		return nil, config.Artifacts{}, err
	}
	pins := config.Pins()
	from := config.Artifacts{Mirror: os.Getenv(config.MirrorVariable)}
	named := ""
	for i, cfg := range stacks {
		path := paths[i]
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
					"%s and %s name different mirrors (strata:artifacts.mirror, mirrorCA), and "+
						"each pin is fetched once: "+
						"give them the same, or set %s and one mirrorCA", named, path,
					config.MirrorVariable)
		}
	}
	return pins, from, nil
}
