package teardown

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"

	"strata/actions/cluster/crds"
)

// Cluster holds the clients with which a guard reads a cluster.
type Cluster struct {
	Objects dynamic.Interface
	Kinds   discovery.DiscoveryInterface
}

// Held describes an object that will be deleted although objects of other owners are in it or refer
// to it.
type Held struct {
	Kind, Name string
	// Kept lists the objects of other owners that would be lost or broken, and the kinds that could
	// not be listed.
	Kept []string
}

// reader lists the objects of other owners that a run would delete or break.
type reader struct {
	Cluster
	left, ours Objects
	// kinds maps the name of each listable kind to its resource. spaced lists the namespaced kinds.
	// defined maps each CustomResourceDefinition to the kind that it defines.
	// unread describes the API groups that discovery could not read.
	kinds   map[string]schema.GroupVersionResource
	spaced  []string
	defined map[string]string
	unread  []string
}

// ObserveHeld returns the objects in left whose deletion loses or breaks objects of other owners.
// left are the objects to be deleted, ours all objects of the stack. It sends no request if left
// has only kinds that cannot affect others' objects.
func ObserveHeld(ctx context.Context, cluster Cluster, left, ours Objects) ([]Held, error) {
	r := &reader{Cluster: cluster, left: left, ours: ours,
		kinds: map[string]schema.GroupVersionResource{}, defined: map[string]string{}}
	if !slices.ContainsFunc(slices.Collect(keys(left)), canHold) {
		return nil, nil
	}
	if err := r.discoverAll(ctx, len(left[kindNamespace]) > 0); err != nil {
		return nil, err
	}
	if err := r.expand(ctx); err != nil {
		return nil, err
	}
	var held []Held
	for kind := range keys(r.left) {
		for _, name := range r.left[kind] {
			if kept := r.keptObjects(ctx, kind, name); len(kept) > 0 {
				held = append(held, Held{kind, name, kept})
			}
		}
	}
	return held, ctx.Err()
}

// openHeld connects to a cluster and runs ObserveHeld.
func openHeld(
	ctx context.Context, open func() (Cluster, error), left, ours Objects,
) ([]Held, error) {
	cluster, err := open()
	if err != nil {
		return nil, err
	}
	return ObserveHeld(ctx, cluster, left, ours)
}

func canHold(kind string) bool {
	return users[kind] != nil || slices.Contains([]string{kindNamespace, kindClaim, kindDefinition,
		kindApplication, KindRelease, KindBundle}, kind)
}

// expand adds to left the CustomResourceDefinitions, IngressClasses and GatewayClasses that are
// deleted with a Helm release or a CRD bundle. Pulumi's state does not list them. It records in
// defined which kind each definition defines.
func (r *reader) expand(ctx context.Context) error {
	for _, kind := range []string{kindDefinition, "IngressClass.networking.k8s.io", "GatewayClass.gateway.networking.k8s.io"} {
		found, err := r.list(ctx, kind, "")
		if err != nil {
			return fmt.Errorf("list %s: %w", kind, err)
		}
		for i := range found {
			notes := found[i].GetAnnotations()
			byRelease := r.left.Has(KindRelease, releaseOf(&found[i])) &&
				notes["helm.sh/resource-policy"] != "keep"
			name := found[i].GetName()
			if kind == kindDefinition {
				defines, _, _ := unstructured.NestedString(found[i].Object, "spec", "names", "kind")
				group, _, _ := unstructured.NestedString(found[i].Object, "spec", "group")
				r.defined[name] = defines + "." + group
			}
			if (byRelease || r.left.Has(KindBundle, found[i].GetLabels()[crds.BundleLabel])) &&
				!r.left.Has(kind, name) {
				r.left.Add(kind, "", name)
			}
		}
	}
	return nil
}

// list returns the objects of a kind, or nil if the cluster does not serve the kind.
func (r *reader) list(
	ctx context.Context, kind, namespace string,
) ([]unstructured.Unstructured, error) {
	resource, served := r.kinds[kind]
	if !served {
		return nil, nil
	}
	found, err := r.Objects.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return found.Items, nil
}

// keptObjects returns the objects that the deletion of an object loses or breaks: bound volumes and
// other owners' objects in it, other owners' objects that refer to it, and the objects that Argo CD
// deletes with an Application.
func (r *reader) keptObjects(ctx context.Context, kind, name string) []string {
	namespace, short, spaced := strings.Cut(name, "/")
	if !spaced {
		namespace, short = "", name
	}
	switch {
	case kind == kindNamespace:
		return r.listSelected(ctx, r.spaced, name, r.isKept)
	case kind == kindClaim && !r.left.Has(kindNamespace, namespace): // otherwise the namespace reports it
		return r.listSelected(ctx, []string{kind}, namespace,
			func(one *unstructured.Unstructured) bool {
				return nameOf(one) == name &&
					isBound(one)
			})
	case kind == kindDefinition:
		return r.listSelected(ctx, []string{r.defined[name]}, "", r.isElsewhere)
	case kind == kindApplication:
		return r.listTitles(ctx, []string{kind}, namespace,
			func(one *unstructured.Unstructured) []string {
				if nameOf(one) == name && isFinalized(one) {
					return managedObjects(one)
				}
				return nil
			})
	case users[kind] == nil:
		return nil
	}
	var kept []string
	for user, names := range users[kind] {
		kept = append(kept, r.listSelected(ctx, []string{user}, "",
			func(one *unstructured.Unstructured) bool {
				return r.isElsewhere(one) && names(one, namespace, short)
			})...)
	}
	slices.Sort(kept)
	return append(kept, r.unread...)
}

// isKept reports whether the deletion of an object's namespace loses data of users: the object is a
// bound volume, or belongs to another owner.
func (r *reader) isKept(object *unstructured.Unstructured) bool {
	return isBound(object) || isOthers(object, r.ours)
}

// isElsewhere reports whether an object belongs to another owner and its namespace is not deleted.
func (r *reader) isElsewhere(object *unstructured.Unstructured) bool {
	return isOthers(object, r.ours) && !r.left.Has(kindNamespace, object.GetNamespace())
}

func isBound(object *unstructured.Unstructured) bool {
	phase, _, _ := unstructured.NestedString(object.Object, "status", "phase")
	return kindOf(object) == kindClaim && phase == "Bound"
}

// parallel bounds the number of concurrent list requests.
const parallel = 8

// listSelected lists the objects of several kinds and returns the sorted titles of the objects for
// which selects returns true. A kind that cannot be listed adds a line that says so.
func (r *reader) listSelected(
	ctx context.Context, kinds []string, namespace string,
	selects func(*unstructured.Unstructured) bool,
) []string {
	return r.listTitles(ctx, kinds, namespace, func(one *unstructured.Unstructured) []string {
		if selects(one) {
			return []string{title(one)}
		}
		return nil
	})
}

// listTitles is listSelected for objects that each have any number of titles.
func (r *reader) listTitles(
	ctx context.Context, kinds []string, namespace string,
	titles func(*unstructured.Unstructured) []string,
) []string {
	var mutex sync.Mutex
	var kept []string
	var all sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for _, kind := range kinds {
		all.Go(func() {
			slots <- struct{}{}
			found, err := r.list(ctx, kind, namespace)
			<-slots
			mutex.Lock()
			defer mutex.Unlock()
			if err != nil {
				kept = append(kept, fmt.Sprintf(
					"unknown objects of %s, which cannot be listed (%v)", kind, err))
			}
			for i := range found {
				kept = append(kept, titles(&found[i])...)
			}
		})
	}
	all.Wait()
	slices.Sort(kept)
	return kept
}

// title returns an object's kind and name for messages; for a volume, also its size.
func title(object *unstructured.Unstructured) string {
	if isBound(object) {
		size, _, _ := unstructured.NestedString(object.Object, "status", "capacity", "storage")
		return fmt.Sprintf("volume %s (%s)", nameOf(object), size)
	}
	return object.GetKind() + " " + nameOf(object)
}
