package graph_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/pulumitest"
)

const workloadSecret = "hunter2-of-the-shop"

// shop returns a workload with all optional parts.
func shop(changed map[string]any) map[string]any {
	fields := map[string]any{
		"name": "shop", "image": "docker.io/acme/shop:1.2.3", "env": map[string]any{"A": "b"},
		"secretEnv":   map[string]any{"TOKEN": workloadSecret},
		"files":       map[string]any{"/etc/shop/config.yaml": "a: b\n"},
		"secretFiles": map[string]any{"/etc/shop/key": workloadSecret},
		"certificate": map[string]any{},
		"routes":      []any{map[string]any{}, map[string]any{"kind": "Ingress", "path": "/old"}},
	}
	maps.Copy(fields, changed)
	return fields
}

// withWorkload returns stack local with the workload of shop.
func withWorkload(t *testing.T, changed map[string]any) *program {
	t.Helper()
	p := newProgram(t, "local")
	p.set(t, "ingress", map[string]any{"controllers": []string{"traefik"}})
	p.set(t, "apps", map[string]any{"workloads": []any{shop(changed)}})
	return p
}

// at returns the value at a path of an object.
func at(t *testing.T, r pulumitest.Resource, path ...string) resource.PropertyValue {
	t.Helper()
	value := resource.NewProperty(r.Inputs)
	for _, key := range path {
		if value.IsSecret() {
			value = value.SecretValue().Element
		}
		if value.IsArray() {
			require.NotEmpty(t, value.ArrayValue(), key)
			value = value.ArrayValue()[0]
		}
		require.True(t, value.IsObject(), "%s of %s", key, r.Name)
		value = value.ObjectValue()[resource.PropertyKey(key)]
	}
	return value
}

// template returns the value at a path of the Deployment's Pod template.
func template(t *testing.T, g graph, path ...string) resource.PropertyValue {
	t.Helper()
	return at(t, g["workload-shop-deployment"], append([]string{"spec", "template"}, path...)...)
}

func TestWorkloadGraphMatchesGoldenFile(t *testing.T) {
	p := withWorkload(t, nil)
	g := p.graph(t)
	for _, rule := range rules {
		if rule.name != "each resource waits for the gates of its layer" { // only for committed stacks
			assert.Empty(t, rule.check(p, g), rule.name)
		}
	}
	only := graph{}
	for _, name := range g.where(func(r pulumitest.Resource) bool { return strings.HasPrefix(r.Name, "workload") }) {
		only[name] = g[name]
	}
	golden(t, filepath.Join(root, "tests/graph/testdata/workload.golden"), only.text())
}

func TestDeploymentWaitsForItsConfigurationAndCertificate(t *testing.T) {
	g := withWorkload(t, nil).graph(t)
	for _, need := range []string{"workload-shop-tls-gate", "workload-shop-files",
		"workload-shop-secret-files", "workload-shop-env", "workloads-apps"} {
		assert.True(t, g.reaches("workload-shop-deployment", need), need)
	}
	assert.True(t, g.reaches("workload-shop-tls-request", "ca-gate"))
	for _, never := range []string{"traefik-programmed", "traefik-release", "metallb-pool-gate"} {
		assert.False(t, g.reaches("workload-shop-deployment", never),
			"Pods need no ingress: %s", never)
	}
	assert.True(t, g.reaches("workload-shop-route-shop", "traefik-programmed"))
	assert.True(t, g.reaches("workload-shop-traefik", "workload-shop-rollout"),
		"who answers must be the newest revision")
}

func TestDeploymentRollsOutWithoutUnavailablePods(t *testing.T) {
	g := withWorkload(t, nil).graph(t)
	deployment := g["workload-shop-deployment"]
	assert.Zero(t, at(t, deployment, "spec", "strategy", "rollingUpdate",
		"maxUnavailable").NumberValue())
	assert.Equal(t, 1.0, at(t, deployment, "spec", "strategy", "rollingUpdate",
		"maxSurge").NumberValue())
	assert.Equal(t, 55.0, template(t, g, "spec", "terminationGracePeriodSeconds").NumberValue())
	container := []string{"spec", "containers", "lifecycle", "preStop", "sleep", "seconds"}
	assert.Equal(t, 15.0, template(t, g, container...).NumberValue())
	budget := g["workload-shop-budget"]
	assert.Equal(t, 1.0, at(t, budget, "spec", "maxUnavailable").NumberValue())
	assert.Equal(t, "AlwaysAllow", at(t, budget, "spec",
		"unhealthyPodEvictionPolicy").StringValue())
	for _, probe := range []string{"startupProbe", "readinessProbe", "livenessProbe"} {
		assert.True(t, template(t, g, "spec", "containers", probe).IsObject(), probe)
	}
}

// With only an optional volume, the application would start without its certificate. With only the
// init container, it would never start.
func TestCertificateIsOptionalOnlyWithInitContainer(t *testing.T) {
	g := withWorkload(t, nil).graph(t)
	found := false
	for _, volume := range template(t, g, "spec", "volumes").ArrayValue() {
		if secret := volume.ObjectValue()["secret"]; secret.IsObject() &&
			secret.ObjectValue()["secretName"].StringValue() == "shop-tls" {
			found = true
			assert.True(t, secret.ObjectValue()["optional"].BoolValue())
		}
	}
	assert.True(t, found)
	assert.Equal(t, "cert-wait", template(t, g, "spec", "initContainers", "name").StringValue())
	assert.Equal(t, "docker.io/strata/cert-wait:1.0.0",
		template(t, g, "spec", "initContainers", "image").StringValue())
	without := withWorkload(t, map[string]any{"certificate": nil}).graph(t)
	assert.True(t, template(t, without, "spec", "initContainers").IsNull())
}

func TestWorkloadInputsHaveNoSecretInPlainText(t *testing.T) {
	g := withWorkload(t, nil).graph(t)
	for _, name := range g.names() {
		for key, value := range g[name].Inputs {
			assert.Empty(t, pulumitest.FindPlain(string(key), value, workloadSecret), "%s", name)
			if strings.HasPrefix(name, "workload") {
				assert.Empty(t, pulumitest.FindPlain(string(key), value, pulumitest.Token),
					"%s shows the hash's key", name)
			}
		}
	}
}

func TestValidateSkipRegistersOnlyCertificateGateOfWorkload(t *testing.T) {
	p := withWorkload(t, nil)
	p.set(t, "apps", map[string]any{"workloads": []any{shop(nil)}, "validate": "skip"})
	g := p.graph(t)
	gates := g.where(func(r pulumitest.Resource) bool {
		return strings.HasPrefix(r.Name, "workload") && r.Text("create") == pulumitest.GateCommand
	})
	assert.Equal(t, []string{"workload-shop-tls-gate"}, gates, "Pods depend on the certificate's")
	expression, _ := wait(g["workload-shop-route-shop"])
	assert.Empty(t, expression)
}

// Wave's webhook must serve before a Deployment is created, or Wave replaces its Pods at once.
func TestWaveWorkloadWaitsForWaveWebhook(t *testing.T) {
	p := withWorkload(t, nil)
	p.set(t, "apps",
		map[string]any{"wave": map[string]any{"enabled": true},
			"workloads": []any{shop(map[string]any{"wave": true})}})
	g := p.graph(t)
	assert.True(t, g.reaches("workload-shop-deployment", "wave-webhook"))
	assert.True(t, g.reaches("wave-release", "cert-manager-api"), "its release has a Certificate")
	assert.False(t, g.reaches("wave-webhook", "ca-gate"), "which its own issuer signs")
	assert.Equal(t, "true",
		at(t, g["workload-shop-deployment"], "metadata", "annotations",
			"wave.pusher.com/update-on-config-change").StringValue())
	assert.True(t, at(t, g["workload-shop-files"], "immutable").BoolValue(),
		"or a change replaces the Pods twice")
	without := withWorkload(t, nil).graph(t)
	assert.Empty(t, without["wave-release"].Name)
	assert.Empty(t, at(t, without["workload-shop-deployment"], "metadata", "annotations").
		ObjectValue()["wave.pusher.com/update-on-config-change"])
}

// Without its webhook, Wave needs no certificates, and workloads wait for Wave's rollout.
func TestWorkloadWaitsForWaveRolloutWithoutWebhook(t *testing.T) {
	p := withWorkload(t, nil)
	p.set(t, "apps",
		map[string]any{"wave": map[string]any{"enabled": true, "webhooks": false},
			"workloads": []any{shop(map[string]any{"wave": true})}})
	g := p.graph(t)
	assert.True(t, g.reaches("workload-shop-deployment", "wave-rollout"))
	assert.False(t, g.reaches("wave-rollout", "cert-manager-api"))
	assert.Empty(t, g["wave-webhook"].Name)
	assert.False(t, at(t, g["wave-release"], "values", "webhooks", "enabled").BoolValue())
}

// Since 1.30, the kubelet has a sleep action for preStop. For an older one, preStop runs the
// program sleep of the image.
func TestPreStopRunsImageSleepOnOldKubelet(t *testing.T) {
	p := withWorkload(t, nil)
	p.project.Version(t, "k3s", "v1.29.9+k3s1")
	g := p.graph(t)
	command := template(t, g, "spec", "containers", "lifecycle", "preStop", "exec",
		"command").ArrayValue()
	require.Len(t, command, 2)
	assert.Equal(t, "15", command[1].StringValue())
}
