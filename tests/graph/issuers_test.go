package graph_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/tests/pulumitest"
)

// issuers are issuers of certificates that no committed stack uses.
var issuers = []struct {
	name     string
	sections map[string]any
	// gate must open before the platform's certificates. without has resources that must be absent.
	gate    string
	without []string
}{
	{"own Vault", map[string]any{"certManager": map[string]any{"issuer": "vault"}},
		"vault-gate", nil},
	{"existing Vault, Kubernetes login", map[string]any{"certManager": map[string]any{
		"issuer": "vault", "vault": map[string]any{"address": "https://vault.example.org:8200",
			"role": "platform"},
	}}, "cert-manager-api", []string{"vault-release", "vault-init", "ca-root", "vault-ca-token"}},
	{"existing Vault, token", map[string]any{"certManager": map[string]any{
		"issuer": "vault",
		"vault": map[string]any{"address": "https://vault.example.org:8200",
			"token": "s.hunter2hunter2"},
	}}, "cert-manager-api", []string{"vault-release", "ca-root", "vault-ca-account"}},
}

func TestGraphRulesHoldForEveryIssuer(t *testing.T) {
	for _, one := range issuers {
		t.Run(one.name, func(t *testing.T) {
			p := newProgram(t, "staging")
			for section, value := range one.sections {
				p.set(t, section, value)
			}
			g := p.graph(t)
			for _, rule := range rules {
				if rule.name != "each resource waits for the gates of its layer" { // only for committed stacks
					assert.Empty(t, rule.check(p, g), rule.name)
				}
			}
			assert.True(t, g.reaches("vault-ca-issuer", one.gate))
			assert.True(t, g.reaches("vault-ca-check-request", "vault-ca-gate"),
				"the proof comes before who relies on it")
			assert.True(t, g.reaches("traefik-tls-request", "vault-ca-check-gate"))
			for _, name := range one.without {
				assert.NotContains(t, g, name)
			}
			only := g.clone()
			for name := range only {
				if !strings.HasPrefix(name, "vault") {
					delete(only, name)
				}
			}
			golden(t,
				filepath.Join(root,
					"tests/graph/testdata/issuer_"+
						strings.NewReplacer(" ", "_", ",", "").Replace(strings.ToLower(one.name))+
						".golden"),
				only.text())
		})
	}
}

func TestVaultIsUnsealedAndGatedBeforeItsIssuer(t *testing.T) {
	p := newProgram(t, "staging")
	p.set(t, "certManager", map[string]any{"issuer": "vault"})
	g := p.graph(t)
	for _, need := range []need{
		{"vault-certificate-request", "ca-gate"}, {"vault-release", "vault-certificate-gate"},
		{"vault-init", "vault-release"},
		{"vault-configure", "vault-init"}, {"vault-gate", "vault-configure"},
		{"vault-ca-gate", "vault-gate"},
	} {
		assert.True(t, g.reaches(need.from, need.to), "%s must wait for %s", need.from, need.to)
	}
	commands := g.where(func(r pulumitest.Resource) bool {
		return strings.HasPrefix(r.Name, "vault-") && r.Type == "command:local:Command"
	})
	assert.Contains(t, commands, "vault-init")
}
