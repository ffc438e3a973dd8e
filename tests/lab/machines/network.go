package machines

import (
	"context"
	"fmt"
	"slices"

	"strata/tests/lab/machines/network"
)

func (s Spec) bridge() network.Bridge {
	return network.Bridge{Name: s.Bridge, Subnet: s.Subnet, Gateway: s.Gateway}
}

// ensureNetwork creates the spec's bridge if it is missing. It fails if another machine on the
// bridge has the spec's address.
func ensureNetwork(ctx context.Context, spec Spec, log *Log) error {
	return spec.bridge().Ensure(ctx, func() error { return checkAddressUnused(spec) }, log.Printf)
}

// checkAddressUnused returns an error if another machine on the bridge has the address, whether it
// runs or not.
func checkAddressUnused(spec Spec) error {
	specs, err := allSpecs()
	if err != nil {
		return err
	}
	for _, other := range specs {
		if other.Name != spec.Name && other.Bridge == spec.Bridge && other.Address == spec.Address {
			return fmt.Errorf(
				"address %s is in use by machine %s; choose another one, or run: lab machines delete %s",
				spec.Address, other.Name, other.Name)
		}
	}
	return nil
}

// ReleaseNetwork removes a spec's bridge and its rules if no machine uses the bridge. An
// interrupted deletion may leave both after its machine is gone, so a caller can repeat this step
// alone.
func ReleaseNetwork(ctx context.Context, spec Spec, log *Log) error {
	return spec.bridge().Release(ctx, func() (bool, error) {
		specs, err := allSpecs()
		return slices.ContainsFunc(specs, func(other Spec) bool { return other.Bridge == spec.Bridge }), err
	}, log.Printf)
}
