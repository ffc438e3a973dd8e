package webhook

import (
	"testing"

	"strata/health/healthtest"
)

func TestWebhookVerdicts(t *testing.T) { healthtest.RunFixtures(t, "webhook", judgeWebhook) }
