package plugin

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Set returns the name of the set of plugins under test (STRATA_PLUGINS); default: stand-in.
func Set() string {
	if set := os.Getenv("STRATA_PLUGINS"); set != "" {
		return set
	}
	return "stand-in"
}

// Locate returns the path of a plugin's binary in STRATA_PLUGINS_DIR. Without this variable, it
// builds the lab's binary. If the plugin is missing, it returns the reason and no error.
func Locate(ctx context.Context, name string) (path, reason string, err error) {
	folder := os.Getenv("STRATA_PLUGINS_DIR")
	if folder == "" && Set() == "stand-in" {
		folder, err = lab(ctx, "pulumi-resource-"+name)
	}
	switch {
	case err != nil:
		return "", "", err
	case folder == "":
		return "", "STRATA_PLUGINS_DIR names no folder with the official plugins", nil
	}
	return find(name, folder)
}

// lab runs one build step of the lab, and returns the folder of its output.
func lab(ctx context.Context, step string) (string, error) {
	var said, log strings.Builder
	command := exec.CommandContext(ctx, "go", "run", "./cmd/lab", "build", "--only", step)
	command.Dir = filepath.Join("..", "lab")
	command.Stdout, command.Stderr = &said, &log
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", step, err, log.String())
	}
	return strings.TrimSpace(said.String()), nil
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

// Build compiles the main package of a module, and returns the path of the binary.
func Build(ctx context.Context, module, output string) (string, error) {
	target, err := filepath.Abs(output)
	if err != nil {
		return "", err
	}
	command := exec.CommandContext(ctx, "go", "build",
		"-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false", "-o", target, ".")
	command.Dir = module
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", module, err, text)
	}
	return target, nil
}
