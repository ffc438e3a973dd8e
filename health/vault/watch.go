package vault

import (
	"context"
	"time"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
	"strata/health/rights"
)

// vaultInterval is the pause between requests to Vault without a change of its Pod. Polling is
// needed because unsealing does not change an object at once.
const vaultInterval = 200 * time.Millisecond

type vaultWatch struct {
	spec     Spec
	cluster  *kube.Cluster
	stable   *observe.Stable
	workload kube.WorkloadRef
	images   map[string][]string
	rights   *rights.Observer
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	all, err := kube.ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	workload, err := kube.ParseWorkload(s.Workload)
	if err != nil {
		return nil, err
	}
	stable := observe.NewStable(time.Now)
	return &vaultWatch{spec: s, cluster: all, stable: stable, workload: workload,
		images: spec.Images, rights: rights.NewObserver(spec, secrets, stable)}, nil
}

// Run implements Watch.
func (w *vaultWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	observe.Repeat(ctx, nil, vaultInterval,
		func(ctx context.Context) []health.Verdict {
			return judgeVault(w.spec,
				w.observe(ctx))
		}, report)
	return nil
}
