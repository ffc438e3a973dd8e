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

// ensureNetwork makes the spec's bridge, unless another machine on it has the spec's address.
func ensureNetwork(ctx context.Context, spec Spec, log *Log) error {
	return spec.bridge().Ensure(ctx, func() error { return checkAddressUnused(spec) }, log.Printf)
}

// checkAddressUnused compares the address with the other machines on the bridge, running or not.
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

// ReleaseNetwork removes a machine's bridge and its rules if no machine is left on it. A deletion
// that was interrupted after its machine had gone leaves them, and no other step removes them.
func ReleaseNetwork(ctx context.Context, spec Spec, log *Log) error {
	return spec.bridge().Release(ctx, func() (bool, error) {
		specs, err := allSpecs()
		return slices.ContainsFunc(specs, func(other Spec) bool { return other.Bridge == spec.Bridge }), err
	}, log.Printf)
}
