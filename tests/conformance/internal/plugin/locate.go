package plugin

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Set names the plugins under test.
func Set() string {
	if set := os.Getenv("STRATA_PLUGINS"); set != "" {
		return set
	}
	return "stand-in"
}

// Locate returns the binary of a plugin, building a stand-in into dir if no
// folder was named. The reason says why there is none.
func Locate(ctx context.Context, name, dir string) (path, reason string, err error) {
	folder := os.Getenv("STRATA_PLUGINS_DIR")
	switch {
	case folder != "":
		return find(name, folder)
	case Set() == "stand-in":
		path, err = Build(ctx, filepath.Join("..", "lab", "plugins", name), filepath.Join(dir, "pulumi-resource-"+name))
		return path, "", err
	}
	return "", "STRATA_PLUGINS_DIR names no folder with the official plugins", nil
}

func find(name, folder string) (path, reason string, err error) {
	binary := "pulumi-resource-" + name
	for _, pattern := range []string{binary, binary + "-v*", "plugins/resource-" + name + "-v*/" + binary} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return "", "", err
		}
		if len(found) > 0 {
			return found[len(found)-1], "", nil
		}
	}
	return "", fmt.Sprintf("%s has no %s", folder, binary), nil
}

// Build compiles the main package of a module.
func Build(ctx context.Context, module, output string) (string, error) {
	target, err := filepath.Abs(output)
	if err != nil {
		return "", err
	}
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false", "-o", target, ".")
	command.Dir = module
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", module, err, text)
	}
	return target, nil
}
