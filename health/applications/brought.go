package applications

import (
	"context"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/kube"
)

// judgeBrought returns the verdict ready if all descendants of an Application are Ready, otherwise
// the verdict on the worst one. It ignores descendants that are synced by hand. ArgoCD checks
// children only by a configurable health check, which may report an outdated Healthy
// (argo-cd#27917).
func judgeBrought(spec Spec, a applicationSeen, ready health.Verdict) health.Verdict {
	var first *health.Verdict
	name, count := "", 0
	for _, child := range a.Brings {
		v := judgeApplication(spec, child)
		if v.State == health.Ready || byHand(child) {
			continue
		}
		count++
		if first == nil || v.State == health.Stuck && first.State != health.Stuck {
			first, name = &v, child.Name
		}
	}
	if first == nil {
		return ready
	}
	first.Message = fmt.Sprintf("Synced and Healthy, but %d of %d Applications that it brings "+
		"are not: %s: %s", count, len(a.Brings), name, first.Message)
	return *first
}

// byHand reports whether an Application has no automated sync, is compared, and has no error.
func byHand(a applicationSeen) bool {
	return !a.Automated && a.Compared && !a.Missing && !a.Deleting && !a.Refreshing && !a.Unseen &&
		len(a.Errors) == 0
}

// listDescendants returns the Applications among the resources of parent, their own Applications,
// and so on, sorted by name. It considers only the Spec's namespace.
func (w *applicationsWatch) listDescendants(
	ctx context.Context, s *kube.APIServer, parent *applicationObject,
) ([]applicationSeen, error) {
	if len(parent.children()) == 0 {
		return nil, nil
	}
	all, err := kube.List[applicationObject](ctx, s, applicationResource, w.spec.Namespace,
		metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	byName := map[string]*applicationObject{}
	for i := range all {
		byName[all[i].Name] = &all[i]
	}
	found := map[string]applicationSeen{}
	for next := parent.children(); len(next) > 0; {
		name := next[0]
		next = next[1:]
		if _, known := found[name]; known || name == parent.Name {
			continue
		}
		found[name] = byName[name].facts(name)
		next = append(next, byName[name].children()...)
	}
	brought := make([]applicationSeen, 0, len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		brought = append(brought, found[name])
	}
	return brought, nil
}

// children returns the names of the Applications among an Application's resources, in its own
// namespace.
func (o *applicationObject) children() []string {
	if o == nil {
		return nil
	}
	var names []string
	for _, r := range o.Status.Resources {
		if r.Group == applicationResource.Group && r.Kind == "Application" &&
			(r.Namespace == "" || r.Namespace == o.Namespace) {
			names = append(names, r.Name)
		}
	}
	return names
}

// setSeconds sets the number of seconds for which an Application's own facts have not changed. The
// facts of its children do not count.
func (w *applicationsWatch) setSeconds(one *applicationSeen) {
	alone := *one
	alone.Brings = nil
	one.Seconds = w.stable.Seconds("application "+one.Name, fmt.Sprint(alone))
}
