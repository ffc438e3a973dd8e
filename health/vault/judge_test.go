package vault

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/health/healthtest"
)

func TestVaultVerdicts(t *testing.T) { healthtest.RunFixtures(t, "vault", judgeVault) }

func TestOnlyVaultSpeaksForVault(t *testing.T) {
	assert.Empty(t, notVault(http.StatusServiceUnavailable, `{"initialized":true,"sealed":true}`))
	assert.Equal(t, "no endpoints available", notVault(http.StatusServiceUnavailable, `{"kind":"Status","message":"no endpoints available"}`))
	assert.Equal(t, "HTTP 200: <html>", notVault(http.StatusOK, "<html>"), "something else answers there")
	assert.Equal(t, "HTTP 200: {}", notVault(http.StatusOK, "{}"))
}
