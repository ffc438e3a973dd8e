package api

import (
	"context"
	"time"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

// apiInterval is the time between two rounds over the API servers: /readyz cannot be watched, and
// one request costs a server about a millisecond of processor time.
const apiInterval = 100 * time.Millisecond

type apiWatch struct {
	cluster *kube.Cluster
	stable  *observe.Stable
	// ends is the expiry of the kubeconfig's client certificate; zero if it has none.
	ends time.Time
}

// NewWatch implements health.Body.
func (Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	all, err := kube.ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	return &apiWatch{cluster: all, stable: observe.NewStable(time.Now),
		ends: endOf(secrets.Kubeconfig)}, nil
}

// Run implements health.Watch.
func (w *apiWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	observe.Repeat(ctx, nil, apiInterval,
		func(ctx context.Context) []health.Verdict {
			return setCertificateEnd(judgeAPI(w.observe(ctx)), w.ends,
				time.Now())
		}, report)
	return nil
}
