package catalog

import (
	"context"
	"io"
	"path/filepath"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/bundle"
	"strata/tests/lab/internal/layout"
	"strata/tests/lab/internal/pulumihome"
)

// Steps is the whole build graph, for a bundle at out. What others wait for comes first: the Pulumi CLI is half of a
// cold build's critical path, and K3s the other half.
func Steps(at layout.Layout, out string) []build.Step {
	lab := at.Lab()
	steps := []build.Step{
		commandStep(lab, stepPulumi),
		commandStep(lab, stepHost),
		cliStep(at),
		commandStep(lab, stepK3s),
		installStep(lab),
		machineStep(lab),
	}
	plugins := pluginNames()
	for _, name := range plugins {
		steps = append(steps, commandStep(lab, pluginPrefix+name), pluginStep(at, name))
	}
	for _, name := range []string{stepPause, stepCoreDNS, stepMetalLB, stepMetrics, stepServer, stepCertManager, stepTraefik, stepVault, stepArgoCD, stepAPISIX, stepHTTPBin, stepGoRest, stepCertWait} {
		steps = append(steps, commandStep(lab, name))
	}
	for _, name := range []string{stepArgoCDRoot, stepRedisRoot} {
		steps = append(steps, rootStep(lab, name))
	}
	steps = append(steps, waveSteps()...)
	for _, archive := range archives() {
		steps = append(steps, archive.build())
	}
	for _, bundle := range crdBundles() {
		steps = append(steps, bundle.build(lab))
	}
	for _, chart := range labCharts() {
		steps = append(steps, chart.build(lab))
	}
	return append(steps, chartStep(lab), certManagerStep(lab), argocdStep(lab), apisixCRDsStep(lab), manifestStep(at, plugins), bundleStep(out))
}

// cliStep puts the CLI and the language host into both PULUMI_HOMEs.
func cliStep(at layout.Layout) build.Step {
	return build.Step{
		Name: "pulumi-home", Needs: []string{stepPulumi, stepHost},
		Run: func(_ context.Context, _ string, needs build.Outputs, _ io.Writer) error {
			cli := pulumihome.CLI{
				Pulumi:   filepath.Join(needs[stepPulumi].Dir, "pulumi"),
				Launcher: filepath.Join(needs[stepHost].Dir, "launcher"),
				Host:     filepath.Join(needs[stepHost].Dir, "pulumi-language-go"),
			}
			if err := cli.Install(at.PulumiHome()); err != nil {
				return err
			}
			return cli.Install(at.OfficialPulumiHome())
		},
	}
}

// pluginStep puts one stand-in plugin into its PULUMI_HOME.
func pluginStep(at layout.Layout, name string) build.Step {
	command := pluginPrefix + name
	return build.Step{
		Name: "pulumi-home/" + name, Needs: []string{command},
		Run: func(_ context.Context, _ string, needs build.Outputs, _ io.Writer) error {
			binary := filepath.Join(needs[command].Dir, command)
			return pulumihome.InstallPlugin(at.PulumiHome(), name, pluginVersions[name], binary)
		},
	}
}

// manifestStep lists what the stand-in PULUMI_HOME holds.
func manifestStep(at layout.Layout, plugins []string) build.Step {
	needs := []string{stepPulumi, stepHost, "pulumi-home"}
	for _, name := range plugins {
		needs = append(needs, pluginPrefix+name, "pulumi-home/"+name)
	}
	return build.Step{
		Name: "pulumi-home/manifest", Needs: needs,
		Run: func(_ context.Context, _ string, outputs build.Outputs, _ io.Writer) error {
			artifacts, err := homeArtifacts(outputs, plugins)
			if err != nil {
				return err
			}
			return pulumihome.WriteManifest(at.PulumiHome(), bundle.Manifest{Artifacts: artifacts})
		},
	}
}

// bundleStep assembles the artifacts.
func bundleStep(out string) build.Step {
	var needs []string
	for _, item := range items() {
		needs = append(needs, item.step)
	}
	return build.Step{
		Name: "bundle", Needs: needs,
		Run: func(ctx context.Context, _ string, outputs build.Outputs, _ io.Writer) error {
			sources, err := bundleSources(outputs)
			if err != nil {
				return err
			}
			_, err = bundle.Assemble(ctx, out, sources)
			return err
		},
	}
}
