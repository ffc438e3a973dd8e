package artifacts

import (
	"slices"
	"strings"

	"strata/config"
)

// imageScheme begins an image's address in the lock.
const imageScheme = "docker://"

// ImagePin returns the key of an image in the lock. The reference is its full name in containerd;
// version tells entries apart for people.
func ImagePin(reference, version, arch string) config.Pin {
	return config.Pin{Name: "image", Version: version, Arch: arch, URL: imageScheme + reference}
}

// ImageDigests returns every digest under which registries serve each image of the lock, by
// reference. It leaves out an entry without all digests, and a reference by digest, which
// containerd verifies itself.
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

// Union returns the texts of both lists in their order, each once.
func Union(a, b []string) []string {
	all := slices.Clone(a)
	for _, text := range b {
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}
