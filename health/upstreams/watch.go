package upstreams

import (
	"context"
	"errors"
	"net/http"
	"time"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

const (
	// upstreamsInterval is the pause between two observations. Polling is needed because no event
	// reports that a data plane has applied its configuration. An observation costs each Pod one
	// request on a connection that stays open.
	upstreamsInterval = 250 * time.Millisecond
	// upstreamsLimit limits a configuration, in bytes; APISIX keeps it in a dictionary of 50 MB.
	upstreamsLimit = 64 << 20
	// upstreamsPath is the path of a standalone data plane's configuration.
	upstreamsPath = "/apisix/admin/configs"
)

type upstreamsWatch struct {
	spec    Spec
	cluster *kube.Cluster
	stable  *observe.Stable
	key     string
	// tunnels are the forwarded ports of the data plane's Pods, by the Pod's UID.
	tunnels map[string]tunnel
}

// tunnel is a forwarded port of a Pod.
type tunnel struct {
	address string
	client  *http.Client
	stop    func()
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	all, err := kube.ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	if len(secrets.APIKey) == 0 {
		return nil, errors.New("STRATA_API_KEY: empty; the data plane's admin API asks for it")
	}
	return &upstreamsWatch{
		spec: s, cluster: all, stable: observe.NewStable(time.Now), key: string(secrets.APIKey),
		tunnels: map[string]tunnel{},
	}, nil
}

// Run implements health.Watch.
func (w *upstreamsWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	defer func() {
		for id := range w.tunnels {
			w.close(id)
		}
	}()
	observe.Repeat(ctx, nil, upstreamsInterval,
		func(ctx context.Context) []health.Verdict {
			return judgeUpstreams(w.spec, kube.ObserveOnce(ctx, w.cluster, w.stable, w.read))
		}, report)
	return nil
}

// close closes the forwarded port of a Pod.
func (w *upstreamsWatch) close(id string) {
	way, open := w.tunnels[id]
	if !open {
		return
	}
	way.client.CloseIdleConnections()
	way.stop()
	delete(w.tunnels, id)
}
