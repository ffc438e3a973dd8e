package health

import (
	"context"
	"sync"
	"time"
)

type crdsWatch struct {
	spec    CRDsSpec
	cluster *cluster
	settled *settled
}

func newCRDs(spec Spec, secrets Secrets) (Watch, error) {
	all, err := newClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	return &crdsWatch{spec: *spec.CRDs, cluster: all, settled: newSettled(time.Now)}, nil
}

// Run implements Watch. Each CRD is watched by its name: all of a cluster's CRDs are megabytes. Discovery cannot be watched,
// and an API server other than the one that is watched learns of a CRD a moment later: it is asked again and again, once every
// CRD is established.
func (w *crdsWatch) Run(ctx context.Context, report func([]Verdict)) error {
	var sources []source
	for _, name := range w.spec.Names {
		sources = append(sources, source{resource: crdResource, name: name})
	}
	changed := make(chan struct{}, 1)
	var follower sync.WaitGroup
	follower.Go(func() { w.cluster.follow(ctx, changed, sources) })
	report = changesOnly(report)
	for ctx.Err() == nil {
		facts, wanted := w.look(ctx)
		until := time.Now().Add(relook)
		for again := true; again && ctx.Err() == nil; {
			facts.Servers = w.discover(ctx, facts, wanted)
			if ctx.Err() == nil {
				report(judgeCRDs(w.spec, facts))
			}
			again = !waitFor(ctx, changed, discoveryInterval) && time.Now().Before(until)
		}
	}
	follower.Wait()
	return nil
}

// discoveryInterval is the pause between two looks at what the API servers serve.
const discoveryInterval = 100 * time.Millisecond

// look reads the CRDs, and which resources they make.
func (w *crdsWatch) look(ctx context.Context) (crdsFacts, []servedResource) {
	var facts crdsFacts
	var wanted []servedResource
	facts.Fault, facts.Seconds = w.cluster.look(ctx, w.settled, func(ctx context.Context, s *apiServer) (err error) {
		facts.CRDs, wanted, err = w.read(ctx, s)
		return err
	})
	return facts, wanted
}

// read reads every CRD at the same time.
func (w *crdsWatch) read(ctx context.Context, s *apiServer) ([]crdFacts, []servedResource, error) {
	objects, errs := make([]*crdObject, len(w.spec.Names)), make([]error, len(w.spec.Names))
	var reads sync.WaitGroup
	for i, name := range w.spec.Names {
		reads.Go(func() { objects[i], errs[i] = readCRD(ctx, s, name) })
	}
	reads.Wait()
	var crds []crdFacts
	var wanted []servedResource
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
		wanted = append(wanted, object.served()...)
	}
	return crds, wanted, nil
}

// discover asks every API server for what it serves, if the CRDs themselves are as they should be.
func (w *crdsWatch) discover(ctx context.Context, facts crdsFacts, wanted []servedResource) []discoveryFacts {
	all := make([]discoveryFacts, len(w.cluster.servers))
	established := sum(judgeCRDs(w.spec, crdsFacts{Fault: facts.Fault, CRDs: facts.CRDs})) == Ready
	var round sync.WaitGroup
	for i, s := range w.cluster.servers {
		all[i].Server = s.name
		if !established {
			continue
		}
		all[i].Asked = true
		round.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, requestTimeout)
			defer cancel()
			absent, err := s.absent(ctx, wanted)
			if err != nil {
				all[i].Fault = s.fault(err)
			}
			all[i].Absent = absent
		})
	}
	round.Wait()
	for i := range all {
		if all[i].Fault == nil {
			w.settled.forget(all[i].Server)
			continue
		}
		all[i].Seconds = w.settled.seconds(all[i].Server, string(all[i].Fault.Kind))
	}
	return all
}

// findOwner names the CRD of the same group that holds one of the names.
func (c *crdFacts) findOwner(ctx context.Context, s *apiServer, object *crdObject) error {
	var all struct {
		Items []crdObject `json:"items"`
	}
	if _, err := s.getJSON(ctx, crdPath, "", &all); err != nil {
		return err
	}
	for i := range all.Items {
		other := &all.Items[i]
		if other.Name != object.Name && other.Spec.Group == object.Spec.Group && other.Status.AcceptedNames.shares(object.Spec.Names) {
			c.Owner, c.Leaving = other.Name, other.DeletionTimestamp != nil
		}
	}
	return nil
}
