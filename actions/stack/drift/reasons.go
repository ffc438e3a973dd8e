package drift

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"strata/internal/pulumi/self"
	"strata/internal/pulumi/stackstate"
)

const (
	// Annotation is the annotation of an object with the differences that an update put back last.
	Annotation = "strata.dev/put-back"
	// AnnotationTime is the annotation with the time at which the update found them.
	AnnotationTime = "strata.dev/put-back-time"
)

// named is the number of differences that a reason names.
const named = 5

// Reasons returns the reason of each resource of a state that an update puts back, by the
// resource's name: the time at which its differences were found, a space, and the differences.
// Because of the time, a difference that occurs again has a new reason. The reason of a gate has
// the names of the resources that the gate checks instead. A release or command whose update was
// killed also has a reason: the state has its earlier inputs, so otherwise no update would repeat
// it or run its gates.
func (r *Report) Reasons(at time.Time, state *stackstate.State) map[string]string {
	things := map[string][]string{}
	for _, one := range r.Differences {
		if one.Kept != "" {
			continue
		}
		things[one.Resource] = append(things[one.Resource], one.String())
	}
	for _, one := range state.Pending {
		if name := one.Resource.URN.Name(); one.Type == apitype.OperationTypeUpdating &&
			(one.Resource.Type == stackstate.LocalCommand || one.Resource.Type == stackstate.HelmRelease) {
			things[name] = append(things[name], "its last update was killed")
		}
	}
	reasons := map[string]string{}
	for resource, all := range things {
		if more := len(all) - named; more > 0 {
			all = append(all[:named:named], fmt.Sprintf("and %d more", more))
		}
		reasons[resource] = at.UTC().Format(time.RFC3339) + " " + strings.Join(all, "; ")
	}
	for gate, checked := range gatesOf(state, reasons) {
		reasons[gate] = at.UTC().Format(time.RFC3339) + " " + strings.Join(checked, ", ")
	}
	return reasons
}

// gatesOf returns the gates of a state that depend on a resource with a reason, with the names of
// these resources. The gates run again. Otherwise a second server would restart before the first
// server is back, and an object would reach the webhook of a controller that has not started.
func gatesOf(state *stackstate.State, reasons map[string]string) map[string][]string {
	found := map[string][]string{}
	for _, gate := range state.Commands("gate") {
		for _, dependency := range gate.Dependencies {
			if name := dependency.Name(); reasons[name] != "" {
				found[gate.URN.Name()] = append(found[gate.URN.Name()], name)
			}
		}
		slices.Sort(found[gate.URN.Name()])
	}
	return found
}

// Former returns the reasons in a state, by the resource's name. The state's secrets may be
// encrypted.
func Former(state *stackstate.State) map[string]string {
	reasons := map[string]string{}
	for _, one := range state.Resources {
		metadata, _ := one.Inputs["metadata"].(map[string]any)
		annotations, _ := metadata["annotations"].(map[string]any)
		reason := one.Environment(self.PutBack)
		if string(one.Type) == stackstate.HelmRelease { // other kinds have descriptions of their own
			reason = one.Input("description")
		}
		if at, ok := annotations[AnnotationTime].(string); ok {
			text, _ := annotations[Annotation].(string)
			reason = at + " " + text
		}
		if reason != "" && !one.Delete {
			reasons[one.URN.Name()] = reason
		}
	}
	return reasons
}
