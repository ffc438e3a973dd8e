package graph_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/pulumitest"
)

// withAPISIX returns stack local with APISIX and its demo instead of Traefik, and with a value of
// apps.validate.
func withAPISIX(t *testing.T, validate string) *program {
	t.Helper()
	p := newProgram(t, "local")
	p.set(t, "ingress", map[string]any{"controllers": []string{"apisix"}})
	p.set(t, "apps", map[string]any{"demo": true, "validate": validate})
	return p
}

// onAPISIX returns the resources of APISIX, those that depend on it, and its CRDs.
func onAPISIX(g graph) []string {
	return g.where(func(r pulumitest.Resource) bool {
		for _, prefix := range []string{"apisix", "demo", "validation", "crds-apisix"} {
			if strings.HasPrefix(r.Name, prefix) {
				return true
			}
		}
		return false
	})
}

func TestAPISIXGraphMatchesGoldenFile(t *testing.T) {
	for _, validate := range []string{"full", "skip"} {
		t.Run(validate, func(t *testing.T) {
			p := withAPISIX(t, validate)
			g := p.graph(t)
			for _, rule := range rules {
				if rule.name != "each resource waits for the gates of its layer" { // only for committed stacks
					assert.Empty(t, rule.check(p, g), rule.name)
				}
			}
			only := graph{}
			for _, name := range onAPISIX(g) {
				only[name] = g[name]
			}
			golden(t, filepath.Join(root, "tests/graph/testdata/apisix_"+validate+".golden"),
				only.text())
		})
	}
}

// Beside Traefik, the API server also calls APISIX's webhook for Traefik's classes, Gateways and
// routes. So objects of all layers must wait for the webhook.
func TestObjectsThatAPISIXWebhookValidatesWaitForIt(t *testing.T) {
	p := newProgram(t, "local")
	p.set(t, "ingress", map[string]any{"controllers": []string{"traefik", "apisix"}})
	p.set(t, "apps", map[string]any{"demo": true})
	g := p.graph(t)
	asked := g.where(func(r pulumitest.Resource) bool {
		class := strings.HasSuffix(r.Type, ":IngressClass")
		return class || strings.HasSuffix(r.Type, ":Gateway") ||
			strings.HasSuffix(r.Type, ":HTTPRoute") ||
			strings.HasPrefix(r.Type, "kubernetes:apisix.")
	})
	asked = append(asked, "traefik-release") // Traefik's chart creates an IngressClass
	for _, name := range []string{"traefik-gateway", "argocd-route", "apisix-gateway", "demo-httpbin-route"} {
		require.Contains(t, asked, name)
	}
	for _, name := range asked {
		assert.True(t, g.reaches(name, "apisix-webhook"),
			"%s is refused while the webhook does not listen", name)
	}
}

// With validate skip, a gate exists only if a resource depends on it.
func TestValidateSkipOmitsGatesWithoutDependents(t *testing.T) {
	g := withAPISIX(t, "skip").graph(t)
	for _, name := range onAPISIX(g) {
		if g[name].Text("create") != pulumitest.GateCommand {
			continue
		}
		behind := g.where(func(r pulumitest.Resource) bool {
			return r.Name != name &&
				g.reaches(r.Name, name)
		})
		assert.NotEmpty(t, behind, "nothing depends on the gate %s", name)
	}
	for _, name := range onAPISIX(g) {
		expression, _ := wait(g[name])
		assert.Empty(t, expression, "%s is awaited", name)
	}
}

func TestDemoObjectsSkipAwait(t *testing.T) {
	g := withAPISIX(t, "full").graph(t)
	found := 0
	for _, name := range onAPISIX(g) {
		if kind := g[name].Type; kind != "kubernetes:apps/v1:Deployment" &&
			kind != "kubernetes:core/v1:Service" {
			continue
		}
		found++
		metadata, _ := g[name].Input("metadata")
		annotations := metadata.ObjectValue()["annotations"]
		require.True(t, annotations.IsObject(), name)
		assert.Equal(t, "true", annotations.ObjectValue()["pulumi.com/skipAwait"].StringValue(), name)
	}
	assert.Equal(t, 6, found)
}

// Without a limit, Keycloak's heap grows to 70 % of the node's memory, which in kind is all of the
// machine's.
func TestKeycloakHasMemoryRequestAndLimit(t *testing.T) {
	g := withAPISIX(t, "skip").graph(t)
	for what, want := range map[string]string{"requests": "768Mi", "limits": "1360Mi"} {
		assert.Equal(t, want,
			at(t, g["demo-keycloak"], "spec", "template", "spec", "containers", "resources", what,
				"memory").StringValue())
	}
}

func TestAPISIXKeysAreGeneratedAndSecret(t *testing.T) {
	g := withAPISIX(t, "full").graph(t)
	for _, name := range []string{"apisix-keys", "demo-login", "demo-keycloak-secret", "demo-rest-key"} {
		data, marked := g[name].Input("stringData")
		assert.True(t, marked || data.ContainsSecrets(), name)
	}
	for _, name := range onAPISIX(g) {
		for key, value := range g[name].Inputs {
			for _, public := range []string{"edd1c9f034335f136f87ad84b625c8f1", "4054f7cf07e344346cd3f287985e76a2"} {
				assert.False(t, pulumitest.Contains(value, public),
					"%s: %s has the chart's public key", name, key)
			}
			assert.Empty(t, pulumitest.FindPlain(string(key), value, pulumitest.Token),
				"%s shows a generated secret", name)
		}
	}
}

// The objects of users' manifests are applied in parallel. Each waits only for the servers and
// webhooks of its kind.
func TestManifestsWaitForNoWebhookOfOtherKinds(t *testing.T) {
	p := withAPISIX(t, "skip")
	require.NoError(t,
		os.WriteFile("mine.yaml",
			[]byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n---\n"+
				"apiVersion: apisix.apache.org/v2\nkind: ApisixRoute\nmetadata: {name: b, namespace: default}\n---\n"+
				"apiVersion: v1\nkind: Secret\nmetadata: {name: c}\nstringData: {key: hunter2hunter2}\n"), 0o600))
	p.set(t, "apps", map[string]any{"manifests": []string{"mine.yaml"}})
	g := p.graph(t)
	const plain, route = "manifests:mine.yaml:ConfigMap:default:a",
		"manifests:mine.yaml:ApisixRoute:default:b"
	assert.True(t, g.reaches(plain, "k3s-api"))
	assert.False(t, g.reaches(plain, "apisix-webhook"))
	assert.True(t, g.reaches(route, "apisix-webhook"))
	assert.False(t, g.reaches(route, plain))
	for key, value := range g["manifests:mine.yaml:Secret:c"].Inputs {
		assert.Empty(t, pulumitest.FindPlain(string(key), value, "hunter2hunter2"))
	}
}

func TestInvalidManifestFileFailsBeforeAnyResource(t *testing.T) {
	p := withAPISIX(t, "full")
	require.NoError(t, os.WriteFile("bad.yaml", []byte("invalid: yaml: :\n"), 0o600))
	p.set(t, "apps", map[string]any{"manifests": []string{"bad.yaml"}})
	g, err := p.run(nil)
	require.ErrorContains(t, err, "strata:apps.manifests[0]: bad.yaml: yaml: mapping values are not allowed")
	assert.Empty(t, g)
}

func TestManifestOfStrataObjectFailsBeforeAnyResource(t *testing.T) {
	p := withAPISIX(t, "full")
	require.NoError(t, os.WriteFile("own.yaml",
		[]byte("apiVersion: v1\nkind: Namespace\nmetadata: {name: metallb-system}\n"), 0o600))
	p.set(t, "apps", map[string]any{"manifests": []string{"own.yaml"}})
	g, err := p.run(nil)
	require.ErrorContains(t, err, "resources of the configuration: strata:apps.manifests: own.yaml: "+
		"Namespace metallb-system is Strata's own; remove it from the file")
	assert.Empty(t, g)
}
