package kinds

import (
	"context"
	"fmt"
	"io"

	"strata/health"
	"strata/health/address"
	"strata/health/api"
	"strata/health/applications"
	"strata/health/certificate"
	"strata/health/claim"
	"strata/health/crds"
	"strata/health/gateway"
	"strata/health/host"
	"strata/health/http"
	"strata/health/issuer"
	"strata/health/metrics"
	"strata/health/namespace"
	"strata/health/nodes"
	"strata/health/pool"
	"strata/health/rollout"
	"strata/health/server"
	"strata/health/system"
	"strata/health/upstreams"
	"strata/health/vault"
	"strata/health/vm"
	"strata/health/webhook"
	"strata/internal/ssh/tunnel"
)

// Bodies maps each kind to the function that parses the kind's Spec from JSON.
var Bodies = map[health.Kind]health.BodyReader{
	address.Kind:      health.ReadBody[address.Spec],
	api.Kind:          health.ReadBody[api.Spec],
	applications.Kind: health.ReadBody[applications.Spec],
	certificate.Kind:  health.ReadBody[certificate.Spec],
	claim.Kind:        health.ReadBody[claim.Spec],
	crds.Kind:         health.ReadBody[crds.Spec],
	gateway.Kind:      health.ReadBody[gateway.Spec],
	host.Kind:         health.ReadBody[host.Spec],
	http.Kind:         health.ReadBody[http.Spec],
	issuer.Kind:       health.ReadBody[issuer.Spec],
	metrics.Kind:      health.ReadBody[metrics.Spec],
	namespace.Kind:    health.ReadBody[namespace.Spec],
	nodes.Kind:        health.ReadBody[nodes.Spec],
	pool.Kind:         health.ReadBody[pool.Spec],
	rollout.Kind:      health.ReadBody[rollout.Spec],
	server.Kind:       health.ReadBody[server.Spec],
	system.Kind:       health.ReadBody[system.Spec],
	upstreams.Kind:    health.ReadBody[upstreams.Spec],
	vault.Kind:        health.ReadBody[vault.Spec],
	vm.Kind:           health.ReadBody[vm.Spec],
	webhook.Kind:      health.ReadBody[webhook.Spec],
}

// Parse reads the Spec of a gate of any kind from JSON.
func Parse(text []byte) (health.Spec, error) { return health.ParseSpec(text, Bodies) }

// Run calls health.Ask, and keeps open the tunnel that the gate needs. If the tunnel cannot be
// opened, Run retries while the gate runs, because a jump host may be starting. Without its tunnel,
// or if another stack's tunnel has the port, the gate's checks cannot pass and say why.
func Run(
	ctx context.Context, spec health.Spec, secrets health.Secrets, progress io.Writer,
) (health.Result, error) {
	release, err := tunnel.Hold(ctx, spec.Tunnel(), secrets.SSHKey)
	if err != nil {
		_, _ = fmt.Fprintf(progress, "%s: %v\n", spec.Gate, err) // the report has this error as well
	}
	defer release()
	return health.Ask(ctx, spec, secrets, progress)
}
