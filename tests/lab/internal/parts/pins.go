package parts

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"
)

// modules maps the Pulumi SDKs in the root's go.mod to the artifacts whose version they determine.
var modules = map[string]string{
	"github.com/pulumi/pulumi/sdk/v3":            "pulumi",
	"github.com/pulumi/pulumi-command/sdk":       "pulumi-resource-command",
	"github.com/pulumi/pulumi-random/sdk/v4":     "pulumi-resource-random",
	"github.com/pulumi/pulumi-kubernetes/sdk/v4": "pulumi-resource-kubernetes",
}

// pinned matches a row in the table of pins in docs/config.md.
var pinned = regexp.MustCompile(`(?m)^\| (\S+) \| (\S+) \| (?:all|amd64|arm64) \| `)

// Pins returns Strata's pinned version of each artifact except k3s-images. It reads docs/config.md,
// which is generated from config/charts.go, so that the lab's module does not depend on the root
// module.
func Pins(checkout string) (map[string]string, error) {
	page, err := os.ReadFile(filepath.Join(checkout, "docs", "config.md"))
	if err != nil {
		return nil, fmt.Errorf("reading the pins: %w", err)
	}
	pins := map[string]string{}
	for _, row := range pinned.FindAllStringSubmatch(string(page), -1) {
		pins[row[1]] = row[2]
	}
	delete(pins, "k3s-images") // several archives share this name, each with its own version
	if len(pins) == 0 {
		return nil, fmt.Errorf("reading the pins: docs/config.md has no row as " +
			"internal/parts/pins.go reads it: change the expression there")
	}
	return pins, modulePins(filepath.Join(checkout, "go.mod"), pins)
}

func modulePins(path string, pins map[string]string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the pins: %w", err)
	}
	file, err := modfile.Parse(path, text, nil)
	if err != nil {
		return fmt.Errorf("reading the pins: %w", err)
	}
	for _, require := range file.Require {
		if artifact := modules[require.Mod.Path]; artifact != "" {
			pins[artifact] = strings.TrimPrefix(require.Mod.Version, "v")
		}
	}
	return nil
}
