package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Valued tells gates behind an ingress controller about the user's own values of its chart. The
// zero value means that there are none, and changes nothing for the gates.
type Valued struct {
	// Revision changes with each change of the values.
	Revision pulumi.StringInput
	// Rolled are the gates of the rollout. Before they hold, a Pod with earlier values may answer.
	Rolled []pulumi.Resource
}

// gateValues returns the Valued for gates that must wait for rolled, the gate of the release's
// rollout.
func (v ownValues) gateValues(rolled *Gate) Valued {
	switch {
	case v.word != nil:
		return Valued{Revision: v.word, Rolled: []pulumi.Resource{rolled}}
	case v.Tree == nil:
		return Valued{}
	}
	return Valued{Revision: v.revision(""), Rolled: []pulumi.Resource{rolled}}
}

// joinRevision returns a gate's own revision, which may be nil, joined with the revision of the
// values, if there are any.
func (v Valued) joinRevision(revision pulumi.StringInput) pulumi.StringInput {
	switch {
	case v.Revision == nil:
		return revision
	case revision == nil:
		return v.Revision
	}
	return pulumi.Sprintf("%s %s", revision, v.Revision)
}
