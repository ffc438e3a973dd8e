package catalog

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/bundle"
)

const stepVM, vmFile = "vm-image", "disk.qcow2"

// VMSteps returns the steps that build the disk image of virtual machines, and a bundle that has
// only that image. Steps does not include them, because most runs need no VM and they take minutes.
func VMSteps(lab, out string) []build.Step {
	return []build.Step{vmStep(lab), {
		Name: "vm-bundle", Needs: []string{stepVM},
		Run: func(ctx context.Context, _ string, outputs build.Outputs, _ io.Writer) error {
			source, err := item{
				stepVM, vmFile, stepVM, "bookworm", "vm/" + vmFile,
				"real: Debian with its kernel, systemd, sshd, cloud-init, containerd and runc",
			}.resolve(outputs)
			if err != nil {
				return err
			}
			_, err = bundle.Assemble(ctx, out, []bundle.Source{source})
			return err
		},
	}}
}

// vmStep returns the step that builds the disk image. Its key covers the recipe and the package
// list of the machine image, but not Debian's archive.
func vmStep(lab string) build.Step {
	recipe := filepath.Join(lab, "vm")
	return build.Step{
		Name: stepVM,
		Key: func() (string, error) {
			own, err := build.DigestTree(recipe)
			if err != nil {
				return "", err
			}
			shared, _, err := build.DigestFile(filepath.Join(lab, "image", "packages.txt"))
			return build.Digest(own, shared), err
		},
		Run: func(ctx context.Context, out string, _ build.Outputs, log io.Writer) error {
			command := exec.CommandContext(ctx, filepath.Join(recipe, "build.sh"), filepath.Join(out, vmFile))
			command.Stdout, command.Stderr = log, log
			if err := command.Run(); err != nil {
				return fmt.Errorf("vm image: %w", err)
			}
			return nil
		},
	}
}
