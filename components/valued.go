package components

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Valued tells the gates of an ingress controller about the user's own values for its chart. The
// zero value has none, and the gates ask as without values.
type Valued struct {
	// Revision is another one after each change of the values.
	Revision pulumi.StringInput
	// Rolled are the gates of the rollout: before it, a Pod of the values before may answer.
	Rolled []pulumi.Resource
}

// gateValues returns a release's own values for gates behind the gate of its rollout.
func (v ownValues) gateValues(rolled *Gate) Valued {
	switch {
	case v.word != nil:
		return Valued{Revision: v.word, Rolled: []pulumi.Resource{rolled}}
	case v.Tree == nil:
		return Valued{}
	}
	return Valued{Revision: v.revision(""), Rolled: []pulumi.Resource{rolled}}
}

// joinRevision returns a gate's own revision, which may be nil, with that of the values, if there are any.
func (v Valued) joinRevision(revision pulumi.StringInput) pulumi.StringInput {
	switch {
	case v.Revision == nil:
		return revision
	case revision == nil:
		return v.Revision
	}
	return pulumi.Sprintf("%s %s", revision, v.Revision)
}
