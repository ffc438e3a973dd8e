package vault

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health/healthtest"
)

func TestVaultVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "vault", judgeVault)
}

func TestNonVaultAnswerIsRejected(t *testing.T) {
	assert.Empty(t, notVault(http.StatusServiceUnavailable, `{"initialized":true,"sealed":true}`))
	assert.Equal(t, "no endpoints available",
		notVault(http.StatusServiceUnavailable,
			`{"kind":"Status","message":"no endpoints available"}`))
	assert.Equal(t, "HTTP 200: <html>", notVault(http.StatusOK, "<html>"),
		"something else answers there")
	assert.Equal(t, "HTTP 200: {}", notVault(http.StatusOK, "{}"))
}

func TestVaultSpecRequiresNamespacePodAndPort(t *testing.T) {
	require.NoError(t, healthtest.Valid(Spec{Namespace: "vault", Pod: "vault-0",
		Port: 8200}).Validate())
	for _, lacks := range []Spec{{Pod: "vault-0", Port: 8200}, {Namespace: "vault", Port: 8200}, {Namespace: "vault", Pod: "vault-0"}} {
		require.ErrorContains(t, healthtest.Valid(lacks).Validate(),
			"vault: namespace, pod or port is empty")
	}
}
