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

// judgeBrought returns ready only if all children of a Ready Application are Ready too. ArgoCD
// counts the health of children only by a configured check, which others may change, and which says
// Healthy early when it repeats an old verdict (argo-cd#27917). A child that is synced by hand
// holds nothing back.
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

// byHand reports whether an Application is synced by hand only, and ArgoCD reports nothing wrong
// with it.
func byHand(a applicationSeen) bool {
	return !a.Automated && a.Compared && !a.Missing && !a.Deleting && !a.Refreshing && !a.Unseen &&
		len(a.Errors) == 0
}

// listDescendants returns the Applications below one, in its namespace: those among its resources,
// and so on.
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

// children returns the names of the Applications among its resources, in its own namespace.
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

// setSeconds sets for how many seconds an Application has been the same. Changes of its children do
// not count.
func (w *applicationsWatch) setSeconds(one *applicationSeen) {
	alone := *one
	alone.Brings = nil
	one.Seconds = w.stable.Seconds("application "+one.Name, fmt.Sprint(alone))
}
