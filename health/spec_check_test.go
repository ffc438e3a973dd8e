package health

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// valid adds what every Spec that asks an API server needs.
func valid(spec Spec) Spec {
	spec.Gate, spec.Timeout, spec.Servers = "g", metav1.Duration{Duration: time.Minute}, []string{"https://127.0.0.1:6443"}
	return spec
}

func TestAWebhookGateNamesFieldsByPath(t *testing.T) {
	require.NoError(t, valid(Spec{Kind: KindWebhook, Webhook: &WebhookSpec{AcceptFills: []string{"a", "a.b", "a.b=c.d"}}}).Validate())
	for _, bad := range []string{"", ".a", "a.", "a..b", "=c"} {
		err := valid(Spec{Kind: KindWebhook, Webhook: &WebhookSpec{AcceptFills: []string{"a", bad}}}).Validate()
		require.ErrorContains(t, err, "webhook.acceptFills[1]")
	}
}
