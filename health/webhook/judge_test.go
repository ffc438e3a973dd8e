package webhook

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/healthtest"
)

func TestWebhookVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "webhook", judgeWebhook)
}

func TestWebhookKindJudgesWorkloads(t *testing.T) {
	assert.Equal(t, health.Traits{Kind: Kind, Workloads: true}, Spec{}.Traits())
}
