package lifecycle

import (
	"context"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/drivers"
)

// OwnedBy are the machines of a Spec's stack on its hypervisor, sorted by name, whichever node the
// Spec is for. It changes nothing.
func OwnedBy(ctx context.Context, host hypervisor.Host, spec hypervisor.Spec) ([]hypervisor.Owned, error) {
	return drivers.New(host, spec).Owned(ctx)
}
