package vault

import (
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
	stable   *observe.Stable
	workload kube.WorkloadRef
	images   map[string][]string
	rights   *rights.Observer
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	workload, err := kube.ParseWorkload(s.Workload)
	if err != nil {
		return nil, err
	}
	stable := observe.NewStable(time.Now)
	w := &vaultWatch{spec: s, stable: stable, workload: workload, images: spec.Images,
		rights: rights.NewObserver(spec, secrets, stable)}
	return kube.NewWatch(spec, secrets, kube.Watch[vaultFacts]{
		Stable: stable,
		Every:  vaultInterval,
		Read:   w.read,
		Judge:  func(facts vaultFacts) []health.Verdict { return judgeVault(s, facts) },
	})
}
