package drift

import (
	"regexp"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/kube/apiserver"
)

// conflicting matches the message of a conflict. The API server prints the API version for a
// manager that updates, and not for one that applies
// (k8s.io/apimachinery/pkg/util/managedfields/internal/conflict.go).
var conflicting = regexp.MustCompile(`^conflict with "([^"]+)"(.* using )?`)

// addManagers adds the field managers that own the changed fields, from the conflicts of an apply
// that does not take over others' fields, and the times of their last changes. A manager that
// applies keeps its fields. The managers of Pulumi's provider are no evidence: they still own a
// field that was changed without a field manager, as by kubectl scale. changed are the managers that
// added fields.
func (d *Difference) addManagers(
	err error, entries []metav1.ManagedFieldsEntry, changed []string,
) {
	var causes []metav1.StatusCause
	if apierrors.IsConflict(err) { // otherwise fields were removed, or the object has changed again
		causes = apiserver.Causes(err)
	}
	for _, cause := range causes {
		found := conflicting.FindStringSubmatch(cause.Message)
		if found == nil || strings.HasPrefix(found[1], "pulumi-") {
			continue
		}
		if found[2] == "" {
			d.Kept = found[1] + " has taken the fields over by server-side apply; " +
				"strata:drift.ignore accepts that"
		}
		if by := found[1] + lastChange(found[1], entries); !slices.Contains(changed, by) {
			changed = append(changed, by)
		}
	}
	if len(changed) > 0 {
		d.Evidence = "by " + strings.Join(changed, ", ")
	}
}

// lastChange returns the time of a manager's last change for messages; empty if it is unknown.
func lastChange(manager string, entries []metav1.ManagedFieldsEntry) string {
	last := newestOf(slices.DeleteFunc(slices.Clone(entries),
		func(entry metav1.ManagedFieldsEntry) bool { return entry.Manager != manager }))
	if last.IsZero() {
		return ""
	}
	return " at " + last.UTC().Format(time.RFC3339)
}

// newestOf returns the newest time of the entries; zero if none has a time.
func newestOf(entries []metav1.ManagedFieldsEntry) (newest time.Time) {
	for _, entry := range entries {
		if entry.Time != nil && entry.Time.After(newest) {
			newest = entry.Time.Time
		}
	}
	return newest
}
