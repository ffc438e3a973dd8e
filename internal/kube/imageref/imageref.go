// Package imageref reads names of container images as containerd does. It owns no registry and no
// archive.
package imageref

import "strings"

// Whole returns the name of an image, or of its repository, with its registry, as containerd writes
// it. Docker's own images are in docker.io/library (github.com/distribution/reference,
// ParseNormalizedNamed).
func Whole(name string) string {
	registry, _, found := strings.Cut(name, "/")
	if !found || !strings.ContainsAny(registry, ".:") && registry != "localhost" {
		name = "docker.io/" + name
	}
	if path, hub := strings.CutPrefix(name, "docker.io/"); hub && !strings.Contains(path, "/") {
		return "docker.io/library/" + path
	}
	return name
}
