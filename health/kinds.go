package health

import (
	"context"
	"fmt"
	"io"
)

// constructors are those of every kind.
var constructors = map[Kind]Constructor{
	KindAddress:      newAddress,
	KindAPI:          newAPI,
	KindApplications: newApplications,
	KindCertificate:  newCertificate,
	KindClaim:        newClaim,
	KindCRDs:         newCRDs,
	KindGateway:      newGateway,
	KindHost:         newHost,
	KindHTTP:         newHTTP,
	KindIssuer:       newIssuer,
	KindMetrics:      newMetrics,
	KindNodes:        newNodes,
	KindPool:         newPool,
	KindRollout:      newRollout,
	KindServer:       newServer,
	KindSystem:       newSystem,
	KindUpstreams:    newUpstreams,
	KindVault:        newVault,
	KindVM:           newVM,
	KindWebhook:      newWebhook,
}

// Run asks one gate of any kind, as Ask does.
func Run(ctx context.Context, spec Spec, secrets Secrets, progress io.Writer) (Result, error) {
	newWatch := constructors[spec.Kind]
	if newWatch == nil {
		return Result{}, fmt.Errorf("%w: %w", ErrSpec, spec.Validate())
	}
	return Ask(ctx, spec, secrets, newWatch, progress)
}
