package catalog

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"

	"strata/tests/lab/internal/build"
)

// rootFile is the tar file that a root's step leaves.
const rootFile = "root.tar"

// roots are the steps of images' roots that come from Debian packages, with their folders below
// images/.
var roots = map[string]string{stepArgoCDRoot: "argocd", stepRedisRoot: "redis", stepVaultRoot: "vault"}

// rootStep makes the root of an image. Its key is the recipe, not Debian's archive, as for the
// machines.
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
			command := exec.CommandContext(ctx, filepath.Join(recipe, "build.sh"), filepath.Join(recipe, roots[name]), filepath.Join(out, rootFile))
			command.Stdout, command.Stderr = log, log
			if err := command.Run(); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		},
	}
}
