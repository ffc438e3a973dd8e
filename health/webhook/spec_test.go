package webhook

import (
	"testing"

	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/health/healthtest"
)

func TestAWebhookGateNamesFieldsByPath(t *testing.T) {
	require.NoError(t, healthtest.Valid(health.Spec{Kind: health.KindWebhook, Webhook: &health.WebhookSpec{AcceptFills: []string{"a", "a.b", "a.b=c.d"}}}).Validate())
	for _, bad := range []string{"", ".a", "a.", "a..b", "=c"} {
		err := healthtest.Valid(health.Spec{Kind: health.KindWebhook, Webhook: &health.WebhookSpec{AcceptFills: []string{"a", bad}}}).Validate()
		require.ErrorContains(t, err, "webhook.acceptFills[1]")
	}
}
