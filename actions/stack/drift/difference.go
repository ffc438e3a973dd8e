package drift

import (
	"fmt"
	"strings"
	"time"
)

// Verdict is the kind of a Difference.
type Verdict string

// These are the verdicts.
const (
	// Changed means another content, mode or state than the last update left.
	Changed Verdict = "changed"
	// Missing means that the object, file or setting does not exist any more.
	Missing Verdict = "missing"
	// Extra means a file that Strata did not write, and that changes the behaviour of K3s.
	Extra Verdict = "extra"
)

// Difference describes an object in the cluster, or a file, unit or setting of a host, that was
// changed since the last update.
type Difference struct {
	// Resource is the name of the Pulumi resource that owns Thing.
	Resource string `json:"resource"`
	// Thing is the object or the file, for example Deployment/traefik/traefik, or
	// "/etc/rancher/k3s/config.yaml on server-1". strata:drift.ignore has the same form.
	Thing   string  `json:"thing"`
	Verdict Verdict `json:"verdict"`
	// Fields are the changed fields of an object, for example spec.replicas. Empty for hosts.
	Fields []string `json:"fields,omitempty"`
	// Evidence describes the change as far as it is known: its time, and the field manager or
	// package that made it.
	Evidence string `json:"evidence,omitempty"`
	// Kept is the reason why an update keeps the difference, and the step that users can take. If
	// Kept is empty, an update puts Thing back.
	Kept string `json:"kept,omitempty"`

	// object is the wanted object; nil for a difference of a host or of a release.
	object *wanted
	// added is true if some of Fields were added by kubectl.
	added bool
	// changed is the time of the object's last change.
	changed time.Time
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
