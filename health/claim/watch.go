package claim

import (
	"context"
	"time"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	stable := observe.NewStable(time.Now)
	return kube.NewWatch(spec, secrets, kube.Watch[claimFacts]{
		Stable: stable,
		Sources: []kube.Source{
			{Resource: kube.ClaimResource, Namespace: s.Namespace, Name: s.Name},
			{Resource: kube.StorageClassResource},
		},
		Read: func(ctx context.Context, server *kube.APIServer) (claimFacts, error) {
			facts, err := readClaim(ctx, server, s)
			if err == nil {
				facts.Seconds = stable.Seconds("class",
					facts.Phase+facts.Class+"/"+facts.Default+"/"+facts.Provisioner)
			}
			return facts, err
		},
		Judge: func(facts claimFacts) []health.Verdict { return judgeClaim(s, facts) },
	})
}
