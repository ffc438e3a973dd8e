package catalog

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/chart"
	"strata/tests/lab/internal/gobuild"
)

// chartFile is the file name of MetalLB's packaged chart.
const chartFile = "metallb-" + metallbVersion + ".tgz"

// chartStep returns the step that packages the chart that MetalLB's module contains.
func chartStep(lab string) build.Step {
	module := filepath.Join(lab, commands()[stepMetalLB].Module)
	return build.Step{
		Name: stepChart,
		Key: func() (string, error) {
			sum, _, err := build.DigestFile(filepath.Join(module, "go.sum"))
			return build.Digest("chart 1", metallbVersion, sum), err
		},
		Run: func(ctx context.Context, out string, _ build.Outputs, log io.Writer) error {
			dir, err := gobuild.ModuleDir(ctx, module, "go.universe.tf/metallb", log)
			if err != nil {
				return err
			}
			return chart.Package(filepath.Join(dir, "charts", "metallb"), metallbVersion, filepath.Join(out, chartFile))
		},
	}
}

// labChart is a chart of the lab's own, in the folder charts/.
type labChart struct {
	// step is both the step's and the artifact's name.
	step, folder, version, origin string
	// definitions is the step whose CRDs the official chart has in its folder crds/. It is empty if
	// the official chart has no such folder.
	definitions string
}

func labCharts() []labChart {
	const own = "stand-in: the lab's own chart, with the official one's names and values as far as Strata uses them"
	return []labChart{
		{step: stepTraefikChart, folder: "traefik", version: traefikChartVersion, origin: own,
			definitions: stepTraefikCRDs},
		{step: stepVaultChart, folder: "vault", version: vaultChartVersion, origin: own},
		{step: stepAPISIXChart, folder: "apisix", version: apisixChartVersion, origin: own},
		{step: stepAPISIXController, folder: "apisix-ingress-controller",
			version: apisixControllerVersion, origin: own},
	}
}

// file returns the file name of the packaged chart.
func (c labChart) file() string { return c.folder + "-" + c.version + ".tgz" }

// build returns the step that packages the chart.
func (c labChart) build(lab string) build.Step {
	dir := filepath.Join(lab, "charts", c.folder)
	var needs []string
	if c.definitions != "" {
		needs = append(needs, c.definitions)
	}
	return build.Step{
		Name: c.step, Needs: needs,
		Key: func() (string, error) {
			own, err := build.DigestTree(dir)
			return build.Digest("lab chart 2", c.version, own), err
		},
		Run: func(_ context.Context, out string, needs build.Outputs, _ io.Writer) error {
			files := chart.Files{}
			if err := files.Add(dir); err != nil {
				return err
			}
			for _, file := range needs[c.definitions].Files {
				text, err := os.ReadFile(filepath.Join(needs[c.definitions].Dir, file.Path))
				if err != nil {
					return fmt.Errorf("reading the definitions: %w", err)
				}
				files["crds/"+filepath.Base(file.Path)] = string(text)
			}
			return files.Package(c.version, filepath.Join(out, c.file()))
		},
	}
}

// installStep returns the step that copies the K3s install script from this repository.
func installStep(lab string) build.Step {
	script := filepath.Join(lab, "k3s", "install.sh")
	return build.Step{
		Name: stepInstall,
		Key: func() (string, error) {
			sum, _, err := build.DigestFile(script)
			return sum, err
		},
		Run: func(_ context.Context, out string, _ build.Outputs, _ io.Writer) error {
			text, err := os.ReadFile(script)
			if err != nil {
				return fmt.Errorf("reading the install script: %w", err)
			}
			if err := os.WriteFile(filepath.Join(out, "install.sh"), text, 0o755); err != nil {
				return fmt.Errorf("copying the install script: %w", err)
			}
			return nil
		},
	}
}

// machineStep returns the step that builds the root file system of lab machines. The key covers
// only the recipe and not Debian's archive. So a Debian update arrives only when the recipe
// changes.
func machineStep(lab string) build.Step {
	recipe := filepath.Join(lab, "image")
	return build.Step{
		Name: stepMachine, Needs: []string{stepPackages}, Beside: true,
		Key: func() (string, error) { return build.DigestTree(recipe) },
		Run: func(ctx context.Context, out string, _ build.Outputs, log io.Writer) error {
			command := exec.CommandContext(ctx, filepath.Join(recipe, "build.sh"),
				filepath.Join(out, "machine-image.tar"))
			command.Stdout, command.Stderr = log, log
			if err := command.Run(); err != nil {
				return fmt.Errorf("machine image: %w", err)
			}
			return nil
		},
	}
}
