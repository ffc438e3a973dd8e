package webhook

import (
	"testing"

	"github.com/stretchr/testify/require"

	"strata/health/healthtest"
)

func TestWebhookSpecRefusesInvalidFieldPaths(t *testing.T) {
	require.NoError(t, healthtest.Valid(
		Spec{AcceptFills: []string{"a", "a.b", "a.b=c.d"}}).Validate())
	for _, bad := range []string{"", ".a", "a.", "a..b", "=c"} {
		err := healthtest.Valid(Spec{AcceptFills: []string{"a", bad}}).Validate()
		require.ErrorContains(t, err, "webhook.acceptFills[1]")
	}
}
