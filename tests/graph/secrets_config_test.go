package graph_test

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/tests/pulumitest"
)

// argocdWith returns a section argocd with every secret that it can have.
func argocdWith(password, hash string) config.ArgoCD {
	return config.ArgoCD{
		AdminPasswordHash: "$2a$10$" + strings.Repeat(hash, 53),
		Root: config.ArgoCDRoot{RepoURL: "https://git.example.org/platform.git",
			Username: "robot", Password: password},
	}
}

// vaultWith returns a section certManager whose issuer logs in to Vault with a token.
func vaultWith(token string) config.CertManager {
	return config.CertManager{Issuer: config.IssuerVault,
		Vault: config.VaultIssuer{Address: "https://vault.example.org:8200", Token: token}}
}

// No plain value may depend on a secret: even a digest would allow a guessing attack.
func TestChangedConfigSecretLeavesPlainInputsUnchanged(t *testing.T) {
	p := newProgram(t, "staging")
	p.set(t, "argocd", argocdWith("first-password", "b"))
	p.set(t, "certManager", vaultWith("first-token"))
	before := p.graph(t)
	p.set(t, "argocd", argocdWith("second-password", "a"))
	p.set(t, "certManager", vaultWith("second-token"))
	after := p.graph(t)
	require.Equal(t, before.names(), after.names())
	changed := map[string]bool{}
	for _, name := range before.names() {
		for _, g := range []graph{before, after} {
			if name == "argocd-password-time" { // its trigger is random
				delete(g[name].Inputs, "triggers")
			}
		}
		assert.Equal(t, visible(resource.NewProperty(before[name].Inputs)),
			visible(resource.NewProperty(after[name].Inputs)),
			"%s shows something that follows from a secret", name)
		for _, secret := range []string{"second-password", strings.Repeat("a", 53), "second-token"} {
			if pulumitest.Contains(resource.NewProperty(after[name].Inputs), secret) {
				changed[name] = true
			}
		}
	}
	assert.Equal(t, map[string]bool{
		"argocd-repository": true, "argocd-release": true, "argocd-password-time-attempt": true,
		"vault-ca-token": true,
	}, changed, "who gets the secrets")
}

// visible returns a value without its secrets, as users see it in a state.
func visible(value resource.PropertyValue) resource.PropertyValue {
	switch {
	case value.IsSecret(), value.IsOutput() && value.OutputValue().Secret:
		return resource.NewProperty("[secret]")
	case value.IsOutput():
		return visible(value.OutputValue().Element)
	case value.IsArray():
		elements := make([]resource.PropertyValue, 0, len(value.ArrayValue()))
		for _, element := range value.ArrayValue() {
			elements = append(elements, visible(element))
		}
		return resource.NewProperty(elements)
	case value.IsObject():
		fields := resource.PropertyMap{}
		for key, field := range value.ObjectValue() {
			fields[key] = visible(field)
		}
		return resource.NewProperty(fields)
	}
	return value
}
