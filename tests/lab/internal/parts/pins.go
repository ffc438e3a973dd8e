package parts

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

// constants are the pins of config/versions.go with the artifacts that each is for, all of them.
// They are read from the source, so that the lab's module does not depend on the root's and its
// dependencies.
var constants = map[string][]string{
	"K3sVersion":                   {"k3s", "k3s-install"},
	"MetalLBChartVersion":          {"metallb-chart"},
	"GatewayAPIVersion":            {"gateway-api-crds"},
	"CertManagerChartVersion":      {"cert-manager-chart"},
	"VaultChartVersion":            {"vault-chart"},
	"TraefikVersion":               {"traefik-crds"},
	"TraefikChartVersion":          {"traefik-chart"},
	"APISIXChartVersion":           {"apisix-chart"},
	"APISIXControllerChartVersion": {"apisix-controller-chart", "apisix-crds"},
	"WaveChartVersion":             {"wave-chart"},
	"ArgoCDChartVersion":           {"argocd-chart"},
}

// modules are the SDKs in the root's go.mod whose version the CLI asks a plugin for.
var modules = map[string]string{
	"github.com/pulumi/pulumi/sdk/v3":            "pulumi",
	"github.com/pulumi/pulumi-command/sdk":       "pulumi-resource-command",
	"github.com/pulumi/pulumi-random/sdk/v4":     "pulumi-resource-random",
	"github.com/pulumi/pulumi-kubernetes/sdk/v4": "pulumi-resource-kubernetes",
}

// Pins returns the version that the checkout pins for each artifact.
func Pins(checkout string) (map[string]string, error) {
	pins := map[string]string{}
	if err := configPins(filepath.Join(checkout, "config", "versions.go"), pins); err != nil {
		return nil, err
	}
	return pins, modulePins(filepath.Join(checkout, "go.mod"), pins)
}

func configPins(path string, pins map[string]string) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("reading the pins: %w", err)
	}
	found := 0
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || len(spec.Values) != 1 {
			return true
		}
		literal, ok := spec.Values[0].(*ast.BasicLit)
		artifacts := constants[spec.Names[0].Name]
		if !ok || artifacts == nil {
			return true
		}
		value, err := strconv.Unquote(literal.Value)
		if err != nil {
			return true
		}
		for _, artifact := range artifacts {
			pins[artifact] = value
		}
		found++
		return true
	})
	if found != len(constants) {
		return fmt.Errorf("reading the pins: %s has %d of %d constants that the lab knows; change internal/parts/pins.go", path, found, len(constants))
	}
	return nil
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
