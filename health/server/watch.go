package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"strata/health"
	"strata/health/host"
	"strata/internal/k3shost"
	"strata/internal/ssh/tunnel"
)

// serverWatch observes one host's unit and, on a server, /ping as a joining node requests it.
type serverWatch struct {
	host   health.Host
	server string
	key    []byte
}

// NewWatch implements health.Body.
func (Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	w := &serverWatch{host: spec.Hosts[0], key: secrets.SSHKey}
	if len(w.key) == 0 && !w.host.Agent {
		return nil, errors.New("STRATA_SSH_KEY: empty; the unit is observed over SSH")
	}
	if w.host.Role == "server" {
		if len(spec.Servers) != 1 {
			return nil, fmt.Errorf("spec: servers: expected the host's own URL, found %d",
				len(spec.Servers))
		}
		w.server = spec.Servers[0]
	}
	return w, nil
}

// Run implements health.Watch.
func (w *serverWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	var mutex sync.Mutex
	unit, ping := host.UnitFacts{}, pingFacts{Server: w.server}
	update := func(change func()) {
		mutex.Lock()
		defer mutex.Unlock()
		change()
		report(judgeServer(w.host, unit, ping))
	}
	var both sync.WaitGroup
	both.Go(func() {
		host.ObserveUnit(ctx, w.host, w.key, false,
			func(f host.UnitFacts) { update(func() { unit = f }) })
	})
	if w.server != "" {
		dial := tunnel.Dialer(tunnel.NewSpec(w.host.Target), net.Dialer{})
		asks := newPinger(w.server, dial, func(ctx context.Context) (string, error) {
			return k3shost.Run(ctx, w.host.Target, w.key, "cat "+k3shost.ServerCA)
		})
		both.Go(func() { asks.observe(ctx, func(f pingFacts) { update(func() { ping = f }) }) })
	}
	both.Wait()
	return nil
}
