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

// constructors are those of every kind.
var constructors = map[health.Kind]health.Constructor{
	health.KindAddress:      address.New,
	health.KindAPI:          api.New,
	health.KindApplications: applications.New,
	health.KindCertificate:  certificate.New,
	health.KindClaim:        claim.New,
	health.KindCRDs:         crds.New,
	health.KindGateway:      gateway.New,
	health.KindHost:         host.New,
	health.KindHTTP:         http.New,
	health.KindIssuer:       issuer.New,
	health.KindMetrics:      metrics.New,
	health.KindNamespace:    namespace.New,
	health.KindNodes:        nodes.New,
	health.KindPool:         pool.New,
	health.KindRollout:      rollout.New,
	health.KindServer:       server.New,
	health.KindSystem:       system.New,
	health.KindUpstreams:    upstreams.New,
	health.KindVault:        vault.New,
	health.KindVM:           vm.New,
	health.KindWebhook:      webhook.New,
}

// Run asks one gate of any kind, as health.Ask does, which refuses a Spec of an unknown kind before
// it needs a constructor. A tunnel that the gate needs is held while it asks. That it cannot be
// opened is no end, since a jump host may be starting: it is tried again meanwhile. Nothing is
// asked through another stack's tunnel at the same port, nor without one, and each check says why.
func Run(ctx context.Context, spec health.Spec, secrets health.Secrets, progress io.Writer) (health.Result, error) {
	release, err := tunnel.Hold(ctx, spec.Tunnel(), secrets.SSHKey)
	if err != nil {
		_, _ = fmt.Fprintf(progress, "%s: %v\n", spec.Gate, err) // the report has it as well
	}
	defer release()
	return health.Ask(ctx, spec, secrets, constructors[spec.Kind], progress)
}
