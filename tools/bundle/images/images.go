package images

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"strata/artifacts"
	"strata/internal/pulumi/dryrun"
)

// Image is one image that Pods of a stack run.
type Image struct {
	// Reference is its full name in containerd: registry, repository and a tag or a digest.
	Reference string
	// For is the name of the artifact of the only chart that uses the image. It is empty if another
	// object or several charts use the image.
	For string
	// By names the object that was the first found to use the image, for messages.
	By string
}

// Collect returns the images of all registrations of a program, sorted by reference. files are the
// stack's artifacts, whose charts are below project. kubernetes is the cluster's version, which
// charts read.
func Collect(
	registered []dryrun.Registration, files []artifacts.Artifact, project, kubernetes string,
) ([]Image, error) {
	asked := &collection{found: map[string]Image{}}
	for _, one := range registered {
		inputs, err := one.Inputs()
		if err != nil {
			return nil, err
		}
		switch {
		case one.Type == releaseType:
			release, err := newRelease(inputs, files, project, kubernetes)
			if err != nil {
				return nil, fmt.Errorf("release %s: %w", one.Name, err)
			}
			objects, err := release.objects()
			if err != nil {
				return nil, fmt.Errorf("release %s: %w", one.Name, err)
			}
			err = asked.add(objects, release.artifact.Name, "chart "+release.artifact.String())
			if err != nil {
				return nil, err
			}
		case strings.HasPrefix(one.Type, "kubernetes:"):
			if err := asked.add(inputs, "", one.Name); err != nil {
				return nil, err
			}
		default:
			if err := asked.add(commandInput(inputs), "", one.Name); err != nil {
				return nil, err
			}
		}
	}
	return asked.sortedImages(), nil
}

// commandInput returns the standard input of one of the program's own commands if it is JSON,
// because the command may apply objects.
func commandInput(inputs map[string]any) any {
	var input any
	text, _ := inputs["stdin"].(string)
	if json.Unmarshal([]byte(text), &input) != nil {
		return nil
	}
	return input
}

// collection holds images by their reference.
type collection struct{ found map[string]Image }

// add adds the images that part, a fragment of an object, refers to. artifact and by are For and By
// of new images.
func (c *collection) add(part any, artifact, by string) error {
	for _, text := range referencesIn(part) {
		reference, err := Canonical(text)
		if err != nil {
			return fmt.Errorf("%s asks for image %q: %w", by, text, err)
		}
		image, again := c.found[reference]
		switch {
		case !again:
			image = Image{Reference: reference, For: artifact, By: by}
		case image.For != artifact:
			image.For = ""
		}
		c.found[reference] = image
	}
	return nil
}

func (c *collection) sortedImages() (all []Image) {
	for _, reference := range slices.Sorted(maps.Keys(c.found)) {
		all = append(all, c.found[reference])
	}
	return all
}

// imageOption matches an argument that names an image for Pods that the program creates later, such
// as cert-manager's for the ACME solver.
var imageOption = regexp.MustCompile(`^--?[a-z0-9-]*image=(.+)$`)

// referencesIn returns the image references of all containers in a fragment of an object, and those
// in the containers' arguments.
func referencesIn(part any) (references []string) {
	switch part := part.(type) {
	case []any:
		for _, one := range part {
			references = append(references, referencesIn(one)...)
		}
	case map[string]any:
		for key, one := range part {
			if containers, ok := one.([]any); ok &&
				slices.Contains([]string{"containers", "initContainers",
					"ephemeralContainers"}, key) {
				references = append(references, ofContainers(containers)...)
				continue
			}
			references = append(references, referencesIn(one)...)
		}
	}
	return references
}

func ofContainers(containers []any) (references []string) {
	for _, one := range containers {
		container, ok := one.(map[string]any)
		if !ok {
			continue
		}
		if image, ok := container["image"].(string); ok && image != "" {
			references = append(references, image)
		}
		for _, key := range []string{"command", "args"} {
			words, _ := container[key].([]any)
			for _, word := range words {
				text, _ := word.(string)
				if found := imageOption.FindStringSubmatch(text); found != nil {
					references = append(references, found[1])
				}
			}
		}
	}
	return references
}

// Canonical returns the full name of an image as containerd stores it: docker.io and its library
// are written out, and so is the tag latest. If a reference has a tag and a digest, the digest
// counts, as for the kubelet (distribution/reference, ParseDockerRef in containerd).
func Canonical(text string) (string, error) {
	reference, err := name.ParseReference(text)
	if err != nil {
		return "", err
	}
	whole := reference.Name()
	if path, hub := strings.CutPrefix(whole, name.DefaultRegistry+"/"); hub {
		whole = "docker.io/" + path
	}
	return whole, nil
}
