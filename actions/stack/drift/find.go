package drift

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"strata/actions/cluster/crds"
	"strata/actions/hosts/inventory"
	"strata/internal/kube/apiserver"
	"strata/internal/pulumi/stackstate"
)

const (
	// limit bounds the whole comparison.
	limit = 30 * time.Second
	// hostLimit bounds the comparison of the hosts: a host that is off must not delay every update.
	hostLimit = 10 * time.Second
	// requestLimit bounds each request to the API server.
	requestLimit = 15 * time.Second
)

// Report is the result of a comparison.
type Report struct {
	// Differences are those of the hosts and the cluster.
	Differences []Difference
	// Unanswered are the reasons why hosts or objects were not compared.
	Unanswered []error

	cluster *cluster
	wanted  []wanted
	// broken are the releases that are not deployed.
	broken []release
}

// Find compares the hosts and the cluster with a state that was read with its secrets. The report
// leaves out the differences whose Thing is in ignore. A state without a cluster has no difference.
// The caller must call close after the last use of the report.
func Find(
	ctx context.Context, state *stackstate.State, ignore []string,
) (report *Report, closes func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	report, closes, err = open(ctx, state)
	if err != nil || report.cluster == nil {
		return report, closes, err
	}
	var hosts, objects []Difference
	var silent, failed []error
	var both sync.WaitGroup
	both.Go(func() { hosts, silent, err = compareHosts(ctx, state) })
	both.Go(func() { objects, failed = report.compareObjects(ctx, state) })
	both.Wait()
	report.Unanswered = append(silent, failed...)
	report.broken = slices.DeleteFunc(report.broken, func(one release) bool {
		return slices.Contains(ignore, one.difference().Thing)
	})
	for _, one := range append(hosts, objects...) {
		if !slices.Contains(ignore, one.Thing) {
			report.Differences = append(report.Differences, one)
		}
	}
	return report, closes, err
}

// open returns a report with access to the state's cluster, and the function that closes its
// tunnel.
func open(ctx context.Context, state *stackstate.State) (*Report, func(), error) {
	report, closes := &Report{}, func() {}
	gates, err := inventory.Gates(state)
	if err != nil {
		return report, closes, err
	}
	at := slices.IndexFunc(gates, func(gate inventory.Gate) bool {
		return len(gate.Secrets.Kubeconfig) > 0
	})
	if at < 0 {
		return report, closes, nil
	}
	lease, err := inventory.OpenTunnel(ctx, gates)
	if err != nil {
		return report, closes, err
	}
	if lease != nil {
		closes = lease.Close
	}
	access := apiserver.Access{Kubeconfig: gates[at].Secrets.Kubeconfig,
		Tunnel: gates[at].Spec.Tunnel(), Timeout: requestLimit}
	if !gates[at].Spec.Existing {
		access.Servers = gates[at].Spec.Servers
	}
	kinds, kube, err := access.Kinds()
	if err == nil {
		report.cluster = &cluster{kinds, kube}
	}
	return report, closes, err
}

// compareObjects compares the state's objects, those of its Helm releases, and those of its bundles
// of CRDs.
func (r *Report) compareObjects(
	ctx context.Context, state *stackstate.State,
) (found []Difference, failed []error) {
	if _, err := r.cluster.kube.Discovery().ServerVersion(); err != nil {
		return nil, []error{fmt.Errorf("the cluster: %w", err)}
	}
	for _, one := range state.Resources {
		objects, err := r.objectsOf(ctx, one)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", one.URN.Name(), err))
		}
		for i := range objects {
			objects[i].created = one.Created
		}
		r.wanted = append(r.wanted, objects...)
	}
	found, errs := r.cluster.compareAll(ctx, r.wanted)
	for _, one := range r.broken {
		found = append(found, one.difference())
	}
	return found, append(failed, errs...)
}

// objectsOf returns the objects of the cluster that a resource owns.
func (r *Report) objectsOf(ctx context.Context, one stackstate.Resource) ([]wanted, error) {
	name, kind := one.URN.Name(), string(one.Type)
	switch {
	case one.Delete:
		return nil, nil
	case kind == stackstate.HelmRelease:
		all, broken, err := r.cluster.readRelease(ctx, name, one.Output("namespace"),
			one.Output("name"))
		if broken != nil {
			r.broken = append(r.broken, *broken)
		}
		return all, err
	case one.Runs("crds apply"):
		return bundleObjects(name, one.Input("stdin"))
	case !strings.HasPrefix(kind, "kubernetes:"):
		return nil, nil
	}
	manager := one.Output("__fieldManager")
	if manager == "" {
		manager = Manager
	}
	object, err := newWanted(name, "default", manager, one.Inputs)
	if err != nil || object.object.GetName() == "" {
		return nil, err
	}
	return []wanted{object}, nil
}

// bundleObjects returns the objects of a bundle of CRDs, whose file this machine still has.
func bundleObjects(resource, stdin string) (all []wanted, err error) {
	var input crds.Input
	if err := json.Unmarshal([]byte(stdin), &input); err != nil {
		return nil, errors.New("its input is not JSON")
	}
	bundle, err := input.Bundle()
	if err != nil {
		return nil, err
	}
	for _, object := range bundle.Objects {
		one, err := newWanted(resource, "", crds.Manager, object.Object)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}
