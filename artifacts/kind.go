package artifacts

import (
	"slices"
	"strings"

	"strata/config"
)

// These are the kinds of a bundle, by its files. The kind of upstream's artifacts is
// config.SourceUpstream.
const (
	// KindBundle is a bundle without stand-ins, such as `strata bundle make` writes.
	KindBundle = "bundle"
	// KindLab is a bundle of the lab's stand-ins.
	KindLab = "lab"
	// KindOriginals is a lab's bundle in which upstream artifacts replace some stand-ins
	// (ORIGINALS=DIR).
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
