package issuer

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health/healthtest"
	"strata/health/kube"
)

func TestIssuerVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "issuer", judgeIssuer)
}

func TestIssuerFactsHaveReadyConditionAndGeneration(t *testing.T) {
	object := healthtest.Decode[ConditionedObject](t, `
metadata: {name: i, generation: 4, deletionTimestamp: "2026-01-01T00:00:00Z"}
status: {conditions: [{type: Other, status: "False"}, {type: Ready, status: "True", observedGeneration: 3, reason: R, message: " m "}]}
`)
	assert.Equal(t, issuerFacts{
		Deleting: true, Generation: 4, Ready: kube.Condition{Type: "Ready", Status: "True",
			Reason: "R", Message: "m", ObservedGeneration: 3},
	}, issuerFactsOf(object))
	assert.Equal(t, issuerFacts{Missing: true}, issuerFactsOf(nil), "and no CA is asked for")
	assert.Equal(t, issuerFacts{Ready: kube.Condition{Type: "Ready"}}, issuerFactsOf(&ConditionedObject{}))
}

func TestIssuerWithoutNamespaceIsClusterIssuer(t *testing.T) {
	cluster, one := Spec{Name: "i"}, Spec{Name: "i", Namespace: "n"}
	assert.Equal(t, clusterIssuerResource, resourceOf(cluster))
	assert.Equal(t, issuerResource, resourceOf(one))
	require.ErrorContains(t, healthtest.Valid(Spec{}).Validate(), "issuer.name")
	require.ErrorContains(t, healthtest.Valid(healthtest.Missing[Spec](t)).Validate(), "issuer: missing")
	require.NoError(t, healthtest.Valid(cluster).Validate())
	for secret, complaint := range map[string]string{"": "issuer.ca.secret: empty", "strata-ca": "expected namespace/name"} {
		cluster.CA = &CA{Secret: secret}
		require.ErrorContains(t, healthtest.Valid(cluster).Validate(), complaint)
	}
}

// Each line is the text of one real failure. It must match the cause of that failure and no other
// cause.
func TestCertManagerAndVaultMessagesMapToCauses(t *testing.T) {
	vault := func(code, text string) string {
		return "Vault failed to sign certificate: failed to sign certificate by vault: Error " +
			"making API request.\n\nURL: POST https://v:8200/v1/pki/sign/r\nCode: " + code + ". Errors:\n\n* " + text
	}
	for _, c := range []struct{ message, cause string }{
		{"Vault config cannot be empty", "specification is incomplete"},
		{"Vault server and path are required fields", "specification is incomplete"},
		{"Vault tokenSecretRef, appRole, clientCertificate, kubernetes, or aws is required",
			"specification is incomplete"},
		{"Multiple auth methods cannot be set on the same Vault issuer", "specification is incomplete"},
		{"Vault Kubernetes auth requires a role to be set", "specification is incomplete"},
		{"Vault Kubernetes auth cannot be used with both secretRef.name and serviceAccountRef.name",
			"specification is incomplete"},
		{"Vault Token auth requires tokenSecretRef.name", "specification is incomplete"},
		{"Vault AppRole auth requires secretRef.key", "specification is incomplete"},
		{vault("503", "Vault is sealed"), "Vault is sealed"},
		{"Vault is not initialized", "not initialised"},
		{vault("400", "unknown role: k3s"), "wrong Vault role"},
		{vault("400", `invalid role name "k3s"`), "wrong Vault role"},
		{vault("400", `role "k3s" could not be found`), "wrong Vault role"},
		{vault("403", "namespace not authorized"), "wrong Vault role"},
		{vault("400", "invalid audience (aud) claim: audience claim does not match any "+
			"expected audience"), "wrong Vault role"},
		{vault("403", "permission denied"), "Vault denies permission"},
		{vault("403", "2 errors occurred:\n\t* permission denied\n\t* invalid token"), "token is expired or invalid"},
		{vault("403", "bad token"), "token is expired or invalid"},
		{vault("400", "token expired"), "token is expired or invalid"},
		{vault("404", "no handler for route \"pki/sign/r\". route entry not found."), "nothing mounted"},
		{`serviceaccounts "v" is forbidden: cannot create resource "serviceaccounts/token"`, "may not request tokens"},
		{`serviceaccounts "v" not found`, "ServiceAccount of the Vault login does not exist"},
		{`Error getting keypair for CA issuer: secrets "root-ca" not found`, "CA's Secret is missing"},
		{`Error getting keypair for CA issuer: no data for "tls.crt" in secret 'n/root-ca'`, "CA's Secret is missing"},
		{"Error getting keypair for CA issuer: certificate is not a CA", "not a CA"},
		{`could not access secret 'cert-manager/vault-token': secrets "vault-token" not found`,
			"a Secret that the issuer names"},
		{"no data for \"ca.crt\" in secret 'cert-manager/vault-ca'", "a Secret that the issuer names"},
		{`Referenced "ClusterIssuer" not found: clusterissuer.cert-manager.io "x" not found`, "does not exist"},
		{"Referenced issuer does not have a Ready status condition", "is not ready"},
		{"tls: failed to verify certificate: x509: certificate signed by unknown authority", "does not trust"},
		{"x509: certificate is valid for a, not b", "not valid for this name or time"},
		{"dial tcp 10.43.0.9:8200: connect: connection refused", "nothing listens"},
		{"dial tcp: lookup vault.vault.svc on 10.43.0.10:53: no such host", "name is not known"},
		{"dial tcp 10.43.0.9:8200: i/o timeout", "network fault"},
		{"context deadline exceeded", "network fault"},
	} {
		t.Run(c.message, func(t *testing.T) {
			known := CauseOfIssuance(c.message)
			assert.Contains(t, known.Cause, c.cause)
			assert.NotEmpty(t, known.Hint)
			assert.Equal(t, c.cause == "specification is incomplete", known.final)
		})
	}
	assert.Zero(t, CauseOfIssuance("Signing CA verified"))
}
