package teardown

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
)

// patience bounds the wait for an unavailable APIService, for example while its Pod is replaced: 45
// seconds of the guard's one-minute timeout. metrics-server needs half a minute after its node has
// restarted.
var patience = wait.Backoff{Duration: 3 * time.Second, Steps: 16}

// discoverAll discovers the kinds that the cluster serves. If whole is true, because a namespace
// will be deleted, it retries until every API group answers, and fails if one does not. Kubernetes
// finishes the deletion of a namespace only when every API group has listed its objects there
// (pkg/controller/namespace/deletion/namespaced_resources_deleter.go).
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

// discover discovers the kinds that the cluster serves, once. It returns the API groups whose
// server is down and records them in unread, so that they do not count as empty.
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
