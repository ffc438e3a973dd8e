package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Valued makes gates that request routes of an ingress controller run again when the user's values
// of its chart change. The zero value means that the user has set no values.
type Valued struct {
	// Revision changes when the user's values change. Gates add it to their own revision
	// (joinRevision).
	Revision pulumi.StringInput
	// Rolled are the gates of the ingress controller's rollout. Gates wait for them, because until
	// they pass, a Pod with the previous values may answer.
	Rolled []pulumi.Resource
}

// gateValues returns the Valued of the release. rolled is the gate of the release's rollout.
func (v ownValues) gateValues(rolled *Gate) Valued {
	switch {
	case v.word != nil:
		return Valued{Revision: v.word, Rolled: []pulumi.Resource{rolled}}
	case v.Tree == nil:
		return Valued{}
	}
	return Valued{Revision: v.revision(""), Rolled: []pulumi.Resource{rolled}}
}

// joinRevision returns the given revision, which may be nil, joined with v.Revision. If both are
// nil, it returns nil.
func (v Valued) joinRevision(revision pulumi.StringInput) pulumi.StringInput {
	switch {
	case v.Revision == nil:
		return revision
	case revision == nil:
		return v.Revision
	}
	return pulumi.Sprintf("%s %s", revision, v.Revision)
}
