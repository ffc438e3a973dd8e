package drift

import (
	"fmt"
	"strings"
)

// Verdict says how a thing differs from what the last update left.
type Verdict string

// The verdicts.
const (
	// Changed is a thing with another content, mode or state.
	Changed Verdict = "changed"
	// Missing is a thing that does not exist any more.
	Missing Verdict = "missing"
	// Extra is a thing that the last update did not leave, and that changes what K3s does.
	Extra Verdict = "extra"
)

// Difference is a thing on a host or in the cluster that differs from what the last update left.
type Difference struct {
	// Resource is the name of the Pulumi resource that owns the thing.
	Resource string `json:"resource"`
	// Thing is the object or the file, for example Deployment/traefik/traefik, or
	// "/etc/rancher/k3s/config.yaml on server-1". strata:drift.ignore has the same form.
	Thing   string  `json:"thing"`
	Verdict Verdict `json:"verdict"`
	// Fields are the changed fields of an object, for example spec.replicas. Empty for other
	// things.
	Fields []string `json:"fields,omitempty"`
	// Evidence tells what is known of the change: its time, and the field manager or package that
	// made it. It may be empty.
	Evidence string `json:"evidence,omitempty"`
	// Kept is the reason why an update leaves the difference as it is, with the way to change that.
	// If it is empty, an update puts the thing back.
	Kept string `json:"kept,omitempty"`

	// object is the wanted object; nil for a thing of a host and for a release.
	object *wanted
}

// String returns the difference in one line.
func (d Difference) String() string {
	text := fmt.Sprintf("%s: %s", d.Thing, d.Verdict)
	if len(d.Fields) > 0 {
		text += " " + strings.Join(d.Fields, ", ")
	}
	if d.Evidence != "" {
		text += " (" + d.Evidence + ")"
	}
	if d.Kept != "" {
		text += "; left as it is: " + d.Kept
	}
	return text
}
