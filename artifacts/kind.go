package artifacts

import (
	"slices"
	"strings"

	"strata/config"
)

// These are the kinds of a bundle, according to the Origin of its files. The kind of upstream
// artifacts is config.SourceUpstream.
const (
	// KindBundle is a bundle without stand-ins, as `strata bundle make` writes it.
	KindBundle = "bundle"
	// KindLab is a bundle with stand-ins, as the lab (tests/lab) makes it for tests.
	KindLab = "lab"
	// KindOriginals is a bundle of the lab in which upstream artifacts replace some stand-ins (make
	// ORIGINALS=DIR).
	KindOriginals = "originals"
)

// Kind returns the kind of the stack's artifacts. It does not depend on the bundle's folder or
// versions.
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
