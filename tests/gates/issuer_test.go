package gates_test

import (
	"encoding/base64"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/healthtest"
	"strata/health/issuer"
	"strata/tests/gates/fakeapi"
)

const issuerText = `
apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata: {name: vault, generation: {{.generation}}}
{{if .status}}status: {conditions: [{type: Ready, status: "{{.status}}", observedGeneration: {{.observed}}, reason: R, message: '{{.message}}'}]}{{end}}
`

func issuerObject(t testing.TB, values map[string]any) string {
	t.Helper()
	all := map[string]any{"generation": 2, "observed": 2, "status": "True",
		"message": "Vault verified"}
	for key, value := range values {
		all[key] = value
	}
	return object(t, issuerText, all)
}

func issuerCluster(t testing.TB) (*fakeapi.Cluster, health.Spec) {
	t.Helper()
	c := fakeapi.New(t, 2)
	c.Serve(certManager, "ClusterIssuer", fakeapi.Resource{Plural: "clusterissuers"})
	return c, health.Spec{Servers: c.URLs(), Body: issuer.Spec{Name: "vault"}}
}

func TestIssuerGateReportsFaultsUntilHealed(t *testing.T) {
	t.Parallel()
	failed := func(message string) map[string]any {
		return map[string]any{"status": "False",
			"message": message}
	}
	for _, fault := range []struct {
		name   string
		values map[string]any
		says   string
	}{
		{"no status", map[string]any{"status": ""}, "has no condition Ready yet"},
		{"ready of an earlier generation", map[string]any{"generation": 3},
			"Ready is True of generation 2, expected generation 3"},
		{"a final failure of an earlier generation",
			map[string]any{"generation": 3, "status": "False",
				"message": "Vault config cannot be empty"},
			"Ready is False of generation 2"},
		{"Vault is sealed",
			failed("Failed to verify Vault is initialized and unsealed: Vault is sealed"),
			"(Vault is sealed)"},
		{"Vault is not initialised", failed("Vault is not initialized"),
			"(Vault is not initialised)"},
		{"wrong role", failed(`Error making API request. Code: 400. Errors: * invalid role name "x"`),
			"wrong Vault role"},
		{"expired token",
			failed("Error making API request. Code: 403. Errors: * permission denied * invalid token"),
			"the Vault token is expired or invalid"},
		{"the CA's Secret is missing",
			failed(`Error getting keypair for CA issuer: secrets "root-ca" not found`),
			"CA's Secret is missing"},
		{"Vault does not listen", failed("dial tcp 10.43.0.9:8200: connect: connection refused"),
			"nothing listens"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c, spec := issuerCluster(t)
			c.Put(issuerObject(t, fault.values))
			gate := start(t, c, spec)
			gate.says(fault.says)
			gate.stays(300 * time.Millisecond)
			c.Put(issuerObject(t, nil))
			gate.opens()
		})
	}
}

// If the CA's Secret is deleted, cert-manager makes another CA. The issuer is Ready with either CA.
func TestIssuerGateRejectsCAOtherThanRecorded(t *testing.T) {
	t.Parallel()
	recorded := healthtest.Issue(t, "recorded", nil, healthtest.AsCA)
	other := healthtest.Issue(t, "other", nil, healthtest.AsCA)
	secret := func(ca healthtest.Issued) string {
		return object(t, caText, map[string]any{"crt": base64.StdEncoding.EncodeToString(ca.Pem())})
	}
	c, spec := issuerCluster(t)
	spec.Body = issuer.Spec{Name: "vault",
		CA: &issuer.CA{Secret: "cert-manager/ca", Certificate: string(recorded.Pem())}}
	c.Put(issuerObject(t, nil))
	gate := start(t, c, spec)
	gate.says("Secret cert-manager/ca does not exist")
	gate.stays(300 * time.Millisecond)
	c.Put(secret(recorded))
	gate.opens()

	c.Put(secret(other))
	assert.Contains(t, start(t, c, spec).sticks(lag).Report(),
		"is another CA than the stack has recorded")
}

const caText = `
apiVersion: v1
kind: Secret
metadata: {namespace: cert-manager, name: ca}
data: {tls.crt: {{.crt}}}
`

func TestIssuerGateWaitsForIssuerCRD(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	spec := health.Spec{Servers: c.URLs(), Body: issuer.Spec{Name: "vault"}}
	gate := start(t, c, spec)
	gate.says("does not exist")
	c.Serve(certManager, "ClusterIssuer", fakeapi.Resource{Plural: "clusterissuers"})
	c.Put(issuerObject(t, nil))
	gate.opens()
}

func TestIssuerGateIsStuckOnIncompleteSpecification(t *testing.T) {
	t.Parallel()
	c, spec := issuerCluster(t)
	c.Put(issuerObject(t, map[string]any{"status": "False",
		"message": "Vault server and path are required fields"}))
	assert.Contains(t, start(t, c, spec).sticks(lag).Report(), "specification is incomplete")
}
