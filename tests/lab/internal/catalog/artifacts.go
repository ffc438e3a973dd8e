package catalog

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/bundle"
	"strata/tests/lab/internal/originals"
	"strata/tests/lab/internal/pulumihome"
)

// item is one artifact of the bundle: a file in a step's output.
type item struct {
	step, file                  string
	name, version, path, origin string
}

// items returns all artifacts that the lab can build. Their names are those of config/charts.go in
// the root module.
func items() []item {
	k3s := "stand-in: upstream Kubernetes v" + kubernetesVersion +
		", etcd and flannel behind K3s's command line, files and endpoints"
	list := []item{
		{stepK3s, "k3s", "k3s", k3sVersion, "k3s/k3s", k3s},
		{stepInstall, "install.sh", "k3s-install", k3sVersion, "k3s/install.sh",
			"stand-in: takes the variables of K3s's install script that Strata uses"},
		{stepChart, chartFile, "metallb-chart", metallbVersion, "charts/" + chartFile,
			"real: MetalLB's chart from its module"},
		{
			stepCertManagerChart, certManagerFile, stepCertManagerChart, "v" + certManagerVersion,
			"charts/" + certManagerFile,
			"real: cert-manager's chart from its module",
		},
		{
			stepArgoCDChart, argocdFile, stepArgoCDChart, argocdChartVersion, "charts/" + argocdFile,
			"stand-in: the lab's own chart, with argo-helm's names and values as far as Strata uses them",
		},
		{stepAPISIXCRDs, apisixCRDsFile, stepAPISIXCRDs, apisixControllerVersion, "crds/" +
			apisixCRDsFile, "stand-in: APISIX's kinds by name, with open schemas"},
		{
			stepMachine, "machine-image.tar", "machine-image", "bookworm", "machine/machine-image.tar",
			"real: Debian with systemd, sshd, cloud-init, containerd and runc",
		},
	}
	list = append(list, waveItems()...)
	for _, crds := range crdBundles() {
		list = append(list, item{crds.name, crds.file(), crds.name, "v" + crds.version, "crds/" +
			crds.file(), crds.origin})
	}
	for _, chart := range labCharts() {
		list = append(list, item{chart.step, chart.file(), chart.step, chart.version, "charts/" +
			chart.file(), chart.origin})
	}
	for _, archive := range archives() {
		list = append(list, item{
			archive.stepName(), archive.file(), imagesName, archive.version, "images/" + archive.file(), archive.origin,
		})
	}
	return list
}

// imagesName is the artifact name that all image archives share.
const imagesName = "k3s-images"

// Artifacts returns the names of all artifacts that the lab can build.
func Artifacts() []string {
	var names []string
	for _, item := range items() {
		if !slices.Contains(names, item.name) {
			names = append(names, item.name)
		}
	}
	return names
}

// itemsFor returns the items of the artifacts in names. A chart includes its images. The name
// k3s-images selects the images that every cluster needs.
func itemsFor(names []string) []item {
	charts := chartsByImage()
	return slices.DeleteFunc(items(), func(item item) bool {
		name := item.name
		if chart := charts[item.step]; name == imagesName && chart != "" {
			name = chart
		}
		return !slices.Contains(names, name)
	})
}

// chartsByImage maps the name of each image's step to the chart that uses the image.
func chartsByImage() map[string]string {
	charts := map[string]string{}
	for _, archive := range archives() {
		charts[archive.stepName()] = archive.chart()
	}
	return charts
}

// bundleSources returns the files of items from the outputs of the build.
func bundleSources(items []item, outputs build.Outputs) ([]bundle.Source, error) {
	charts := chartsByImage()
	var sources []bundle.Source
	for _, item := range items {
		source, err := item.resolve(outputs)
		if err != nil {
			return nil, err
		}
		source.For = charts[item.step]
		sources = append(sources, source)
	}
	return sources, nil
}

func (i item) resolve(outputs build.Outputs) (bundle.Source, error) {
	entry := outputs[i.step]
	file, ok := entry.File(i.file)
	if !ok {
		return bundle.Source{}, fmt.Errorf("artifact %s: step %s left no file %s in %s", i.name,
			i.step, i.file, entry.Dir)
	}
	return bundle.Source{
		File: filepath.Join(entry.Dir, filepath.FromSlash(i.file)),
		Artifact: bundle.Artifact{
			Name: i.name, Version: i.version, Path: i.path, SHA256: file.SHA256, Size: file.Size, Origin: i.origin,
		},
	}, nil
}

// homeArtifacts returns the manifest entries of a PULUMI_HOME.
func homeArtifacts(outputs build.Outputs, plugins []string, set originals.Set) ([]bundle.Artifact, error) {
	var artifacts []bundle.Artifact
	list := []item{
		{stepPulumi, "pulumi", "pulumi", pulumiVersion, pulumihome.CLIPath,
			"real: the Pulumi CLI from its module, without clouds' buckets, keys and logs and " +
				"what speaks to Pulumi's service"},
		{
			stepHost, "launcher", "pulumi-language-go-launcher", "1", pulumihome.LauncherPath,
			"real: the lab's own launcher, hands the runtime options to the language host",
		},
		{stepHost, "pulumi-language-go", "pulumi-language-go", hostVersion, pulumihome.HostPath,
			"real: the Go language host from the SDK's module"},
	}
	for _, name := range plugins {
		binary := pluginPrefix + name
		version := pluginVersions[name]
		if one, there := set.Named(binary); there {
			artifact, err := originalPlugin(name, one)
			if err != nil {
				return nil, err
			}
			artifacts = append(artifacts, artifact)
			continue
		}
		origin := "stand-in: the resource types that Strata uses, with the official plugin's semantics"
		if name == "kubernetes" {
			origin = kubernetesOrigin
		}
		file := path.Join(pulumihome.PluginFolder(name, version), binary)
		list = append(list, item{binary, binary, binary, version, file, origin})
	}
	for _, item := range list {
		source, err := item.resolve(outputs)
		if err != nil {
			return nil, err
		}
		artifacts = append(artifacts, source.Artifact)
	}
	return artifacts, nil
}
