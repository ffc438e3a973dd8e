package artifacts

import (
	"slices"
	"strings"

	"strata/config"
)

// Kinds of a bundle by its files. The kind of upstream's artifacts is config.SourceUpstream.
const (
	// KindBundle has no stand-in, as `strata bundle make` leaves it.
	KindBundle = "bundle"
	// KindLab has the lab's stand-ins.
	KindLab = "lab"
	// KindOriginals has upstream artifacts in the place of some of the lab's (ORIGINALS=DIR).
	KindOriginals = "originals"
)

// Kind returns where the stack's artifacts come from. Two bundles of a kind may be in any folders,
// and have any versions.
func (s *Set) Kind() string {
	hasOrigin := func(prefix string) bool {
		return slices.ContainsFunc(s.all,
			func(a Artifact) bool { return strings.HasPrefix(a.Origin, prefix) })
	}
	switch {
	case s.source == config.SourceUpstream:
		return config.SourceUpstream
	case hasOrigin("original:"):
		return KindOriginals
	case hasOrigin("stand-in:"):
		return KindLab
	}
	return KindBundle
}
