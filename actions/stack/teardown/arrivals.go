package teardown

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health"
	"strata/health/namespace"
	"strata/internal/kube/apiserver"
	"strata/internal/ssh/remote"
)

var (
	namespaces   = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	applications = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1",
		Resource: "applications"}
)

// argoRelease is Argo CD's Helm release.
const argoRelease = "argocd/argocd"

// Arrivals checks the objects that this run adds to those of the previous run. It returns the added
// namespaces that still exist and are being deleted. It returns an error if the run adds Argo CD
// while Applications are being deleted, because Argo CD would then delete the objects that they
// manage. open connects to the cluster; Arrivals calls it only if the run adds a namespace or Argo
// CD.
func (g Guard) Arrivals(
	ctx context.Context, open func() (Cluster, error), previous Objects,
) (ending []string, err error) {
	arriving := g.Objects.left(previous)
	argo := arriving.Has(KindRelease, argoRelease)
	if len(arriving[kindNamespace]) == 0 && !argo {
		return nil, nil
	}
	cluster, err := open()
	if err != nil {
		return nil, err
	}
	if argo {
		if err := g.refuseDoomed(ctx, cluster); err != nil {
			return nil, err
		}
	}
	found, err := listAll(ctx, cluster, namespaces)
	if err != nil {
		return nil, err
	}
	for i := range found {
		if name := found[i].GetName(); found[i].GetDeletionTimestamp() != nil &&
			arriving.Has(kindNamespace, name) {
			ending = append(ending, name)
		}
	}
	return ending, nil
}

// endingLimit bounds the wait for the deletion of a namespace that the stack recreates. No layer
// changes before this wait is over.
const endingLimit = 30 * time.Second

// DeletionGate returns the gate that waits until a namespace is deleted, so that the stack can
// recreate it.
func (g Guard) DeletionGate(name string) health.Spec {
	spec := health.Spec{
		Body: namespace.Spec{Name: name}, Gate: name, Layer: name,
		Timeout: metav1.Duration{Duration: endingLimit},
		Servers: g.Servers, Existing: g.Existing,
	}
	if g.Tunnel.There() {
		target := remote.Target{Name: "api", Address: "api", Jump: g.Tunnel.Via,
			DynamicForward: g.Tunnel.Port, Agent: g.Tunnel.Agent}
		spec.Hosts = []health.Host{{Target: target, Role: "server"}}
	}
	return spec
}

// refuseDoomed returns an error if Applications are being deleted and their finalizer waits for
// Argo CD. Once Argo CD runs, it would delete the objects that they manage (argo-cd#6046).
func (g Guard) refuseDoomed(ctx context.Context, cluster Cluster) error {
	found, err := listAll(ctx, cluster, applications)
	if err != nil {
		return err
	}
	var text, keep, consent []string
	for i := range found {
		one := Held{Kind: kindApplication, Name: nameOf(&found[i]), Kept: managedObjects(&found[i])}
		if found[i].GetDeletionTimestamp() == nil || !isFinalized(&found[i]) ||
			len(g.Protected) == 0 && g.Discard.has(one) {
			continue
		}
		if len(one.Kept) == 0 {
			one.Kept = []string{"objects that its status does not name"}
		}
		text = append(text, fmt.Sprintf("- %s: %s", one.title(), cut(one.Kept)))
		consent = append(consent, one.word())
		keep = append(keep, namespace.GiveUp(found[i].GetNamespace(),
			"applications.argoproj.io "+found[i].GetName()))
	}
	if len(text) == 0 {
		return nil
	}
	lose := fmt.Sprintf("set strata:discard.objects to [%s]", strings.Join(consent, ", "))
	if len(g.Protected) > 0 {
		lose = "set " + strings.Join(g.Protected, " and ") + " to false, " + lose
	}
	return fmt.Errorf("refused, nothing was changed: Argo CD comes, and these Applications are "+
		"being deleted; it would first delete what they manage:\n%s\n"+
		"To keep that: %s. To lose it: %s; then run pulumi up again", strings.Join(text, "\n"),
		cut(keep), lose)
}

// isFinalized reports whether Argo CD deletes an Application's objects before the Application.
func isFinalized(application *unstructured.Unstructured) bool {
	return slices.ContainsFunc(application.GetFinalizers(),
		func(f string) bool { return strings.HasPrefix(f, namespace.ArgoFinalizer) })
}

// managedObjects returns the objects that an Application's status lists, sorted.
func managedObjects(application *unstructured.Unstructured) (names []string) {
	resources, _, _ := unstructured.NestedSlice(application.Object, "status", "resources")
	for _, one := range resources {
		fields, _ := one.(map[string]any)
		in, _ := fields["namespace"].(string)
		name, _ := fields["name"].(string)
		names = append(names, fmt.Sprintf("%v %s", fields["kind"], join(in, name)))
	}
	slices.Sort(names)
	return names
}

// listAll lists the objects of a resource in all namespaces, and retries while the API server
// restarts. It returns nil if the API server does not serve the resource.
func listAll(
	ctx context.Context, cluster Cluster, resource schema.GroupVersionResource,
) ([]unstructured.Unstructured, error) {
	found, err := apiserver.List(ctx, cluster.Objects.Resource(resource), metav1.ListOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", resource.Resource, err)
	}
	return found.Items, nil
}
