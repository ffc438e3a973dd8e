package artifacts

import (
	"slices"
	"strings"

	"strata/config"
)

// imageScheme is the URL prefix of images in the lock.
const imageScheme = "docker://"

// ImagePin returns the pin by which the lock identifies an image. reference is the image's full
// name in containerd. version only helps people who read the lock.
func ImagePin(reference, version, arch string) config.Pin {
	return config.Pin{Name: "image", Version: version, Arch: arch, URL: imageScheme + reference}
}

// ImageDigests returns, by image reference, all digests under which registries serve the image. It
// leaves out entries without Digests, and references by digest, which containerd verifies itself.
func (l *Lock) ImageDigests() map[string][]string {
	images := map[string][]string{}
	for _, locked := range l.Artifacts {
		reference, isImage := strings.CutPrefix(locked.URL, imageScheme)
		if isImage && len(locked.Digests) > 0 && !strings.Contains(reference, "@") {
			images[reference] = Union(images[reference], locked.Digests)
		}
	}
	return images
}

// Union returns the texts of a and then those of b, without duplicates.
func Union(a, b []string) []string {
	all := slices.Clone(a)
	for _, text := range b {
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}
