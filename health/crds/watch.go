package crds

import (
	"context"
	"sync"
	"time"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

type crdsWatch struct {
	spec    Spec
	cluster *kube.Cluster
	stable  *observe.Stable
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	all, err := kube.ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	return &crdsWatch{spec: s, cluster: all, stable: observe.NewStable(time.Now)}, nil
}

// Run implements Watch. It watches each CRD by its name, because all of a cluster's CRDs are
// megabytes. Discovery cannot be watched, and the other API servers learn of a CRD a moment later.
// So Run polls discovery once every CRD is established.
func (w *crdsWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	var sources []kube.Source
	for _, name := range w.spec.Names {
		sources = append(sources, kube.Source{Resource: kube.CRDResource, Name: name})
	}
	changed := make(chan struct{}, 1)
	var follower sync.WaitGroup
	follower.Go(func() { w.cluster.Follow(ctx, changed, sources) })
	report = observe.ChangesOnly(report)
	for ctx.Err() == nil {
		facts, wanted := w.observe(ctx)
		until := time.Now().Add(observe.Interval)
		for again := true; again && ctx.Err() == nil; {
			facts.Servers = w.discover(ctx, facts, wanted)
			if ctx.Err() == nil {
				report(judgeCRDs(w.spec, facts))
			}
			again = !observe.WaitFor(ctx, changed, discoveryInterval) && time.Now().Before(until)
		}
	}
	follower.Wait()
	return nil
}

// discoveryInterval is the pause between two observations of the API servers' discovery.
const discoveryInterval = 100 * time.Millisecond

// observe reads the CRDs, and which resources they make.
func (w *crdsWatch) observe(ctx context.Context) (crdsFacts, []kube.ServedResource) {
	var facts crdsFacts
	var wanted []kube.ServedResource
	facts.Fault, facts.Seconds = w.cluster.ObserveOnce(ctx, w.stable,
		func(ctx context.Context, s *kube.APIServer) (err error) {
			facts.CRDs, wanted, err = w.read(ctx, s)
			return err
		})
	return facts, wanted
}

// read reads every CRD at the same time.
func (w *crdsWatch) read(
	ctx context.Context, s *kube.APIServer,
) ([]crdFacts, []kube.ServedResource, error) {
	objects, errs := make([]*crdObject, len(w.spec.Names)), make([]error, len(w.spec.Names))
	var reads sync.WaitGroup
	for i, name := range w.spec.Names {
		reads.Go(func() { objects[i], errs[i] = readCRD(ctx, s, name) })
	}
	reads.Wait()
	var crds []crdFacts
	var wanted []kube.ServedResource
	for i, object := range objects {
		if errs[i] != nil {
			return nil, nil, errs[i]
		}
		facts := object.facts(w.spec.Names[i])
		if facts.Names.Status == "False" {
			if err := facts.findOwner(ctx, s, object); err != nil {
				return nil, nil, err
			}
		}
		crds = append(crds, facts)
		wanted = append(wanted, object.servedResources()...)
	}
	return crds, wanted, nil
}

// discover asks every API server for the resources it serves, once the CRDs themselves are as
// wanted.
func (w *crdsWatch) discover(
	ctx context.Context, facts crdsFacts, wanted []kube.ServedResource,
) []discoveryFacts {
	all := make([]discoveryFacts, len(w.cluster.Servers))
	established := health.StateOf(judgeCRDs(w.spec,
		crdsFacts{Fault: facts.Fault, CRDs: facts.CRDs})) == health.Ready
	var round sync.WaitGroup
	for i, s := range w.cluster.Servers {
		all[i].Server = s.Name
		if !established {
			continue
		}
		all[i].Asked = true
		round.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, kube.RequestTimeout)
			defer cancel()
			absent, err := s.Absent(ctx, wanted)
			if err != nil {
				all[i].Fault = s.Fault(err)
			}
			all[i].Absent = absent
		})
	}
	round.Wait()
	for i := range all {
		if all[i].Fault == nil {
			w.stable.Forget(all[i].Server)
			continue
		}
		all[i].Seconds = w.stable.Seconds(all[i].Server, string(all[i].Fault.Kind))
	}
	return all
}

// findOwner names the CRD of the same group that holds one of the names.
func (c *crdFacts) findOwner(ctx context.Context, s *kube.APIServer, object *crdObject) error {
	var all struct {
		Items []crdObject `json:"items"`
	}
	if _, err := s.GetJSON(ctx, crdPath, "", &all); err != nil {
		return err
	}
	for i := range all.Items {
		other := &all.Items[i]
		if other.Name != object.Name && other.Spec.Group == object.Spec.Group &&
			other.Status.AcceptedNames.shares(object.Spec.Names) {
			c.Owner, c.Leaving = other.Name, other.DeletionTimestamp != nil
		}
	}
	return nil
}
