package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/bundle"
	"strata/tests/lab/internal/layout"
	"strata/tests/lab/internal/originals"
	"strata/tests/lab/internal/pulumihome"
)

// ownReference is the prefix of the references of this repository's own images. No registry has
// them.
const ownReference = "docker.io/strata/"

// originalsAt returns the upstream artifacts in the layout's folder $ORIGINALS. It fails if a
// plugin is not executable, or has a version that the program does not require.
func originalsAt(at layout.Layout) (originals.Set, error) {
	known := append(Artifacts(), stepWaveChart)
	for _, name := range pluginNames() {
		known = append(known, pluginPrefix+name)
	}
	set, err := originals.Read(at.Originals, known)
	if err != nil {
		return originals.Set{}, err
	}
	var wrong []error
	for _, name := range pluginNames() {
		one, there := set.Named(pluginPrefix + name)
		if !there {
			continue
		}
		if want := pluginVersions[name]; strings.TrimPrefix(one.Version, "v") != want {
			wrong = append(wrong, fmt.Errorf("%s: the program asks for version %s, and the CLI "+
				"takes no other", one.File, want))
		}
		if info, err := os.Stat(one.File); err == nil && info.Mode()&0o111 == 0 {
			wrong = append(wrong, fmt.Errorf("%s: it is not executable; run: chmod +x %s", one.File, one.File))
		}
	}
	return set, errors.Join(wrong...)
}

// ArtifactsOf returns the names of all artifacts that a bundle can have, including upstream
// artifacts that the lab cannot build.
func ArtifactsOf(at layout.Layout) ([]string, error) {
	set, err := originalsAt(at)
	names := Artifacts()
	for _, one := range set.All {
		if one.Name != "" && !strings.HasPrefix(one.Name, pluginPrefix) && !slices.Contains(names, one.Name) {
			names = append(names, one.Name)
		}
	}
	return names, err
}

// ownItems returns the items of the artifacts in names, without those that upstream artifacts
// replace.
func ownItems(set originals.Set, names []string) []item {
	byStep := map[string]archive{}
	for _, archive := range archives() {
		byStep[archive.stepName()] = archive
	}
	return slices.DeleteFunc(itemsFor(names), func(item item) bool {
		if item.name == imagesName {
			return replaced(set, byStep[item.step])
		}
		_, there := set.Named(item.name)
		return there
	})
}

// replaced reports whether upstream artifacts replace an image archive. An upstream archive of a
// chart's images replaces all of the lab's images of that chart.
//
// An upstream chart uses other image references than the lab's images have. Nodes then pull these
// references from registries, unless images.txt maps the lab's image to one of them.
func replaced(set originals.Set, a archive) bool {
	if strings.HasPrefix(a.reference, ownReference) {
		return false
	}
	asks := a.asksFor()
	if len(set.ImagesOf(cmp.Or(asks, stepK3s))) > 0 {
		return true
	}
	_, original := set.Named(asks)
	return original && !a.ofTheDemo() && set.Reference(a.reference) == ""
}

// ofTheDemo reports whether the image belongs to the program's demo and not to APISIX's chart. The
// demo's own objects name such an image.
func (a archive) ofTheDemo() bool {
	return a.stepName() == "keycloak-image" || a.step == stepHTTPBin
}

// asksFor returns the chart whose Pods run the image. It differs from chart only for the two images
// of APISIX's controller, whose step also builds the images of APISIX's chart.
func (a archive) asksFor() string {
	if a.name == "apisix-ingress-controller" || a.name == "adc" {
		return stepAPISIXController
	}
	return a.chart()
}

// under returns the archive with the reference that images.txt has for its repository, if any.
func (a archive) under(set originals.Set) archive {
	a.reference = cmp.Or(set.Reference(a.reference), a.reference)
	return a
}

// originalSources returns the upstream artifacts in names. They are not copied into the cache,
// because they are on this machine already and may be large.
func originalSources(set originals.Set, names []string) ([]bundle.Source, error) {
	var sources []bundle.Source
	for _, one := range set.All {
		name, goesWith := one.Name, one.Images
		if goesWith == stepK3s {
			goesWith = ""
		}
		if one.Images != "" {
			name = imagesName
		}
		if !slices.Contains(names, cmp.Or(goesWith, name)) {
			continue // a plugin, or not needed by this stack
		}
		sum, size, err := build.DigestFile(one.File)
		if err != nil {
			return nil, err
		}
		sources = append(sources, bundle.Source{File: one.File, Artifact: bundle.Artifact{
			Name: name, Version: one.Version, For: goesWith, Path: originalPath(name, one.Base),
			SHA256: sum, Size: size,
			Origin: bundle.OriginOriginal + one.Base,
		}})
	}
	return sources, nil
}

// originalPath returns the path of an upstream artifact in the bundle. Except for K3s and its
// install script, it differs from the paths of the lab's own files.
func originalPath(name, base string) string {
	switch i := slices.IndexFunc(items(), func(item item) bool { return item.name == name }); {
	case name == stepK3s || name == stepInstall:
		return items()[i].path
	case i >= 0:
		return path.Join(path.Dir(items()[i].path), base)
	}
	return "charts/" + base
}

// originalPluginStep returns the step that installs an upstream plugin from $ORIGINALS into the
// lab's PULUMI_HOME.
func originalPluginStep(at layout.Layout, name string, one originals.Original) build.Step {
	return build.Step{
		Name: "pulumi-home/" + name,
		Run: func(context.Context, string, build.Outputs, io.Writer) error {
			return pulumihome.InstallPlugin(at.PulumiHome(), name, pluginVersions[name], one.File)
		},
	}
}

// originalPlugin returns the manifest entry of an upstream plugin.
func originalPlugin(name string, one originals.Original) (bundle.Artifact, error) {
	binary, version := pluginPrefix+name, pluginVersions[name]
	sum, size, err := build.DigestFile(one.File)
	return bundle.Artifact{
		Name: binary, Version: version, Path: path.Join(pulumihome.PluginFolder(name, version),
			binary), SHA256: sum, Size: size,
		Origin: bundle.OriginOriginal + one.Base,
	}, err
}
