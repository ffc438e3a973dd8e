package pool

import (
	"testing"

	"github.com/stretchr/testify/require"

	"strata/health/healthtest"
)

func TestPoolVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "pool", judgePool)
}

func TestPoolSpecRequiresAddresses(t *testing.T) {
	require.NoError(t, healthtest.Valid(
		Spec{Addresses: []string{"10.10.0.200-10.10.0.250"}}).Validate())
	require.ErrorContains(t, healthtest.Valid(Spec{}).Validate(), "pool with addresses")
}
