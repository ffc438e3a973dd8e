package lifecycle

import (
	"context"

	"strata/internal/hypervisor"
)

// Observe asks the hypervisor about a machine and changes nothing.
func Observe(ctx context.Context, host vm.Host, spec vm.Spec) (vm.Facts, error) {
	return newDriver(host, spec.AnyOwner()).Observe(ctx) // a gate's Spec has no identity, and what it waits for has asked
}

// OwnedBy are the machines of a Spec's stack on its hypervisor, sorted by name, whichever node the
// Spec is for. It changes nothing.
func OwnedBy(ctx context.Context, host vm.Host, spec vm.Spec) ([]vm.Owned, error) {
	return newDriver(host, spec).Owned(ctx)
}
