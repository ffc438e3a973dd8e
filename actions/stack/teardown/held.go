package teardown

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"

	"strata/actions/cluster/crds"
)

// Cluster is a cluster that a guard reads.
type Cluster struct {
	Objects dynamic.Interface
	Kinds   discovery.DiscoveryInterface
}

// Held is an object to be deleted that contains objects of other owners, or that they use.
type Held struct {
	Kind, Name string
	// Kept lists the others' objects, and the kinds that could not be listed.
	Kept []string
}

// reader finds others' objects in the objects that leave.
type reader struct {
	Cluster
	left, ours Objects
	// kinds are the kinds that can be listed, by their name. spaced are those that have a
	// namespace. unread are the kinds that the API server cannot list.
	kinds  map[string]schema.GroupVersionResource
	spaced []string
	unread []string
}

// ObserveHeld finds others' objects in the objects that leave. It sends no request if no leaving
// object can hold any.
func ObserveHeld(ctx context.Context, cluster Cluster, left, ours Objects) ([]Held, error) {
	r := &reader{Cluster: cluster, left: left, ours: ours,
		kinds: map[string]schema.GroupVersionResource{}}
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
		KindRelease, KindBundle}, kind)
}

// patience bounds the absence of an API group's server, for example while its Pod is replaced: 45
// seconds of the guard's minute. metrics-server takes half a minute after its node's restart.
var patience = wait.Backoff{Duration: 3 * time.Second, Steps: 16}

// discoverAll reads the kinds of the cluster. If a namespace leaves, all API groups must answer.
// Kubernetes asks each of them for its objects in the namespace, which does not end before they
// answer (pkg/controller/namespace/deletion/namespaced_resources_deleter.go).
func (r *reader) discoverAll(ctx context.Context, whole bool) error {
	var down *discovery.ErrGroupDiscoveryFailed
	err := wait.ExponentialBackoffWithContext(ctx, patience, func(context.Context) (bool, error) {
		var err error
		down, err = r.discover()
		return down == nil || !whole, err
	})
	if !wait.Interrupted(err) || down == nil {
		return err
	}
	var services []string
	for group, reason := range down.Groups {
		services = append(services, fmt.Sprintf("%s.%s (%v)", group.Version, group.Group, reason))
	}
	slices.Sort(services)
	return fmt.Errorf("a namespace would not end, because an APIService does not answer: %s; "+
		"start what serves it, or delete it where that is gone: "+
		"kubectl describe apiservices", strings.Join(services, ", "))
}

// discover reads the kinds of the cluster. It notes and returns an API group whose server is down,
// and does not take it for empty.
func (r *reader) discover() (*discovery.ErrGroupDiscoveryFailed, error) {
	lists, err := discovery.ServerPreferredResources(r.Kinds)
	var failed *discovery.ErrGroupDiscoveryFailed
	if err != nil && !errors.As(err, &failed) {
		return nil, fmt.Errorf("kinds of the cluster: %w", err)
	}
	r.spaced, r.unread = nil, nil
	if failed != nil {
		for group, reason := range failed.Groups {
			if !isDerived("." + group.Group) {
				r.unread = append(r.unread,
					fmt.Sprintf("unknown objects of %s, which cannot be listed (%v)", group,
						reason))
			}
		}
		slices.Sort(r.unread)
	}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, one := range list.APIResources {
			kind := version.WithKind(one.Kind).GroupKind().String()
			if slices.Contains(one.Verbs, "list") && !isDerived(kind) {
				r.kinds[kind] = version.WithResource(one.Name)
				if one.Namespaced {
					r.spaced = append(r.spaced, kind)
				}
			}
		}
	}
	return failed, nil
}

// expand adds the objects that leave with a Helm release or a bundle: definitions and classes.
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
			if (byRelease || r.left.Has(KindBundle, found[i].GetLabels()[crds.BundleLabel])) &&
				!r.left.Has(kind, name) {
				r.left.Add(kind, "", name)
			}
		}
	}
	return nil
}

// list lists the objects of a kind. It returns none if the cluster does not serve the kind.
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

// keptObjects returns others' objects in an object that leaves.
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
		return r.listSelected(ctx, r.instances(ctx, name), "", r.isElsewhere)
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

// instances returns the kind that a definition defines.
func (r *reader) instances(ctx context.Context, name string) []string {
	found, err := r.list(ctx, kindDefinition, "")
	if err != nil {
		return []string{name}
	}
	for i := range found {
		if found[i].GetName() == name {
			kind, _, _ := unstructured.NestedString(found[i].Object, "spec", "names", "kind")
			group, _, _ := unstructured.NestedString(found[i].Object, "spec", "group")
			return []string{kind + "." + group}
		}
	}
	return nil
}

// isKept reports whether an object in a namespace that leaves is a loss: any volume, or another
// owner's object.
func (r *reader) isKept(object *unstructured.Unstructured) bool {
	return isBound(object) || isOthers(object, r.ours)
}

// isElsewhere reports whether an object is others' and in no namespace that leaves.
func (r *reader) isElsewhere(object *unstructured.Unstructured) bool {
	return isOthers(object, r.ours) && !r.left.Has(kindNamespace, object.GetNamespace())
}

func isBound(object *unstructured.Unstructured) bool {
	phase, _, _ := unstructured.NestedString(object.Object, "status", "phase")
	return kindOf(object) == kindClaim && phase == "Bound"
}

// parallel is the number of lists that are requested at a time.
const parallel = 8

// listSelected lists kinds and titles the objects that a rule selects.
func (r *reader) listSelected(
	ctx context.Context, kinds []string, namespace string,
	selects func(*unstructured.Unstructured) bool,
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
				if selects(&found[i]) {
					kept = append(kept, title(&found[i]))
				}
			}
		})
	}
	all.Wait()
	slices.Sort(kept)
	return kept
}

// title names an object in messages; the name of a volume includes its size.
func title(object *unstructured.Unstructured) string {
	if isBound(object) {
		size, _, _ := unstructured.NestedString(object.Object, "status", "capacity", "storage")
		return fmt.Sprintf("volume %s (%s)", nameOf(object), size)
	}
	return object.GetKind() + " " + nameOf(object)
}
