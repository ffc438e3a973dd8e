package catalog

import (
	"context"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/bundle"
	"strata/tests/lab/internal/layout"
	"strata/tests/lab/internal/originals"
	"strata/tests/lab/internal/pulumihome"
)

// Steps returns the build graph of everything that the lab can build, without upstream artifacts.
// out is the path of the bundle.
func Steps(at layout.Layout, out string) []build.Step {
	return graph(at, out, Artifacts(), originals.Set{})
}

// StepsFor returns the steps for a stack that needs these artifacts: Pulumi, the plugins, the
// program, the Debian packages, and a bundle at out that has the artifacts. The bundle also keeps
// every artifact that is built already, because other stacks may need it.
//
// Without artifacts, as for a destroy, the bundle does not change. Upstream artifacts in $ORIGINALS
// replace the lab's own. A folder $ORIGINALS without artifacts is an error, except for a destroy,
// because the folder may have been emptied since the update.
func StepsFor(at layout.Layout, out string, artifacts []string) ([]build.Step, error) {
	set, err := originalsAt(at)
	if err != nil {
		return nil, err
	}
	always := []string{stepPackages, stepProgram, stepLab, stepHome}
	all := graph(at, out, Artifacts(), set)
	if len(artifacts) == 0 {
		return build.Select(all, always)
	}
	if err := set.Some(at.Originals); err != nil {
		return nil, err
	}
	cached := build.Cached(at.Tools(), all)
	names := slices.Clone(artifacts)
	for _, name := range Artifacts() {
		there := !slices.ContainsFunc(ownItems(set, []string{name}), func(item item) bool { return !cached[item.step] })
		if there && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return build.Select(graph(at, out, names, set), append(always, stepBundle))
}

// graph returns the build graph in the order in which an update needs the parts: first Pulumi and
// the program, then K3s, then each layer. Steps with Beside set come first, so that their waiting
// starts at once. The bundle has the artifacts in names. Upstream artifacts replace the lab's own.
func graph(at layout.Layout, out string, names []string, set originals.Set) []build.Step {
	lab := at.Lab()
	steps := []build.Step{packagesStep(), machineStep(lab)}
	for _, name := range slices.Sorted(maps.Keys(roots)) {
		steps = append(steps, rootStep(lab, name))
	}
	steps = append(steps, compiled(lab, stepPulumi), compiled(lab, stepHost), cliStep(at))
	plugins := pluginNames()
	for _, name := range plugins {
		if one, there := set.Named(pluginPrefix + name); there {
			steps = append(steps, originalPluginStep(at, name, one))
			continue
		}
		steps = append(steps, compiled(lab, pluginPrefix+name), pluginStep(at, name))
	}
	steps = append(steps, manifestStep(at, plugins, set), programStep(at), labStep(at), installStep(lab))
	steps = append(steps, layers(lab, set)...)
	for _, bundle := range crdBundles() {
		steps = append(steps, bundle.build(lab))
	}
	for _, chart := range labCharts() {
		steps = append(steps, chart.build(lab))
	}
	return append(steps, chartStep(lab), certManagerStep(lab), argocdStep(lab), apisixCRDsStep(lab),
		bundleStep(out, names, set))
}

// layers returns the steps of the commands that hosts and Pods run, each followed by its images.
// They are in the order of an update's layers.
func layers(lab string, set originals.Set) []build.Step {
	var steps []build.Step
	add := func(step string) {
		for _, archive := range archives() {
			if archive.step == step {
				steps = append(steps, archive.under(set).build())
			}
		}
	}
	add("") // images without a binary
	for _, name := range []string{
		stepK3s, stepPause, stepCoreDNS, stepMetrics, stepMetalLB, stepCertManager, stepCertWait, stepTraefik,
		stepAPISIX, stepHTTPBin, stepGoRest, stepArgoCD, stepServer, stepVault,
	} {
		steps = append(steps, compiled(lab, name))
		add(name)
	}
	steps = append(steps, waveSteps()...)
	add(stepWave)
	return steps
}

// cliStep returns the step that installs the CLI and the language host into both PULUMI_HOMEs. One
// has stand-in plugins, the other official plugins.
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

// pluginStep returns the step that installs a stand-in plugin into the stand-ins' PULUMI_HOME.
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

// manifestStep returns the step that writes the manifest of the PULUMI_HOME that has the stand-in
// plugins, or the upstream plugins that replace them.
func manifestStep(at layout.Layout, plugins []string, set originals.Set) build.Step {
	needs := []string{stepPulumi, stepHost, "pulumi-home"}
	for _, name := range plugins {
		if _, there := set.Named(pluginPrefix + name); !there {
			needs = append(needs, pluginPrefix+name)
		}
		needs = append(needs, "pulumi-home/"+name)
	}
	return build.Step{
		Name: stepHome, Needs: needs,
		Run: func(_ context.Context, _ string, outputs build.Outputs, _ io.Writer) error {
			artifacts, err := homeArtifacts(outputs, plugins, set)
			if err != nil {
				return err
			}
			return pulumihome.WriteManifest(at.PulumiHome(), bundle.Manifest{Artifacts: artifacts})
		},
	}
}

// bundleStep returns the step that assembles a bundle at out that has the artifacts in names.
func bundleStep(out string, names []string, set originals.Set) build.Step {
	items := ownItems(set, names)
	var needs []string
	for _, item := range items {
		needs = append(needs, item.step)
	}
	return build.Step{
		Name: stepBundle, Needs: needs,
		Run: func(ctx context.Context, _ string, outputs build.Outputs, _ io.Writer) error {
			sources, err := bundleSources(items, outputs)
			if err != nil {
				return err
			}
			given, err := originalSources(set, names)
			if err != nil {
				return err
			}
			_, err = bundle.Assemble(ctx, out, append(sources, given...))
			return err
		},
	}
}
