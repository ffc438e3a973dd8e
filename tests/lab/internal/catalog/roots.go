package catalog

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"

	"strata/tests/lab/internal/build"
)

// rootFile is the name of the tar file in the output of each step in roots.
const rootFile = "root.tar"

// roots maps the steps that build base layers from Debian packages to their folders below images/.
var roots = map[string]string{stepArgoCDRoot: "argocd", stepRedisRoot: "redis", stepVaultRoot: "vault"}

// rootStep returns the step that builds an image's base layer. As for machineStep, the key covers
// only the recipe and not Debian's archive.
func rootStep(lab, name string) build.Step {
	recipe := filepath.Join(lab, "images")
	return build.Step{
		Name: name, Needs: []string{stepPackages}, Beside: true,
		Key: func() (string, error) {
			script, _, err := build.DigestFile(filepath.Join(recipe, "build.sh"))
			if err != nil {
				return "", err
			}
			folder, err := build.DigestTree(filepath.Join(recipe, roots[name]))
			return build.Digest(script, folder), err
		},
		Run: func(ctx context.Context, out string, _ build.Outputs, log io.Writer) error {
			command := exec.CommandContext(ctx, filepath.Join(recipe, "build.sh"),
				filepath.Join(recipe, roots[name]), filepath.Join(out, rootFile))
			command.Stdout, command.Stderr = log, log
			if err := command.Run(); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		},
	}
}
