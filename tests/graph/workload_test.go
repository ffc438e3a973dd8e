package graph_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/tests/pulumitest"
)

const workloadSecret = "hunter2-of-the-shop"

// shop is a workload with all that one can have.
func shop(changed map[string]any) map[string]any {
	fields := map[string]any{
		"name": "shop", "image": "docker.io/acme/shop:1.2.3", "env": map[string]any{"A": "b"},
		"secretEnv": map[string]any{"TOKEN": workloadSecret}, "files": map[string]any{"/etc/shop/config.yaml": "a: b\n"},
		"secretFiles": map[string]any{"/etc/shop/key": workloadSecret}, "certificate": map[string]any{},
		"routes": []any{map[string]any{}, map[string]any{"kind": "Ingress", "path": "/old"}},
	}
	for key, value := range changed {
		fields[key] = value
	}
	return fields
}

// withWorkload is stack local with the shop.
func withWorkload(t *testing.T, changed map[string]any) *program {
	t.Helper()
	p := newProgram(t, "local")
	p.set(t, "ingress", map[string]any{"controllers": []string{"traefik"}})
	p.set(t, "apps", map[string]any{"workloads": []any{shop(changed)}})
	return p
}

// at is a value inside an object, by its path.
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

// template is a path in the Deployment's Pod template.
func template(t *testing.T, g graph, path ...string) resource.PropertyValue {
	t.Helper()
	return at(t, g["workload-shop-deployment"], append([]string{"spec", "template"}, path...)...)
}

func TestAWorkloadHasExactlyTheseResourcesAndEdges(t *testing.T) {
	p := withWorkload(t, nil)
	g := p.graph(t)
	for _, rule := range rules {
		if rule.name != "each resource waits for the gates of its layer" { // which is of the committed stacks
			assert.Empty(t, rule.check(p, g), rule.name)
		}
	}
	only := graph{}
	for _, name := range g.where(func(r pulumitest.Resource) bool { return strings.HasPrefix(r.Name, "workload") }) {
		only[name] = g[name]
	}
	golden(t, filepath.Join(root, "tests/graph/testdata/workload.golden"), only.text())
}

func TestPodsWaitForWhatTheyRead(t *testing.T) {
	g := withWorkload(t, nil).graph(t)
	for _, need := range []string{"workload-shop-tls-gate", "workload-shop-files", "workload-shop-secret-files", "workload-shop-env", "workloads-apps"} {
		assert.True(t, g.reaches("workload-shop-deployment", need), need)
	}
	assert.True(t, g.reaches("workload-shop-tls-request", "authority-gate"))
	for _, never := range []string{"traefik-programmed", "traefik-release", "metallb-pool-gate"} {
		assert.False(t, g.reaches("workload-shop-deployment", never), "Pods need no ingress: %s", never)
	}
	assert.True(t, g.reaches("workload-shop-route-0", "traefik-programmed"))
	assert.True(t, g.reaches("workload-shop-traefik", "workload-shop-rollout"), "who answers must be the newest revision")
}

func TestTheDeploymentNeverHasFewerPodsThanItShould(t *testing.T) {
	g := withWorkload(t, nil).graph(t)
	deployment := g["workload-shop-deployment"]
	assert.Zero(t, at(t, deployment, "spec", "strategy", "rollingUpdate", "maxUnavailable").NumberValue())
	assert.Equal(t, 1.0, at(t, deployment, "spec", "strategy", "rollingUpdate", "maxSurge").NumberValue())
	assert.Equal(t, 55.0, template(t, g, "spec", "terminationGracePeriodSeconds").NumberValue())
	container := []string{"spec", "containers", "lifecycle", "preStop", "sleep", "seconds"}
	assert.Equal(t, 15.0, template(t, g, container...).NumberValue())
	budget := g["workload-shop-budget"]
	assert.Equal(t, 1.0, at(t, budget, "spec", "maxUnavailable").NumberValue())
	assert.Equal(t, "AlwaysAllow", at(t, budget, "spec", "unhealthyPodEvictionPolicy").StringValue())
	for _, probe := range []string{"startupProbe", "readinessProbe", "livenessProbe"} {
		assert.True(t, template(t, g, "spec", "containers", probe).IsObject(), probe)
	}
}

// Only together: optional alone starts the application without its certificate, and the init container alone never starts.
func TestACertificateIsOptionalOnlyBehindItsInitContainer(t *testing.T) {
	g := withWorkload(t, nil).graph(t)
	found := false
	for _, volume := range template(t, g, "spec", "volumes").ArrayValue() {
		if secret := volume.ObjectValue()["secret"]; secret.IsObject() && secret.ObjectValue()["secretName"].StringValue() == "shop-tls" {
			found = true
			assert.True(t, secret.ObjectValue()["optional"].BoolValue())
		}
	}
	assert.True(t, found)
	assert.Equal(t, "cert-wait", template(t, g, "spec", "initContainers", "name").StringValue())
	assert.Equal(t, "docker.io/strata/cert-wait:1.0.0", template(t, g, "spec", "initContainers", "image").StringValue())
	without := withWorkload(t, map[string]any{"certificate": nil}).graph(t)
	assert.True(t, template(t, without, "spec", "initContainers").IsNull())
}

// hash is what the Pod template says of its configuration.
func hash(t *testing.T, g graph) string {
	return template(t, g, "metadata", "annotations", "strata/config-hash").StringValue()
}

func TestPodsAreReplacedWhenAndOnlyWhenTheirConfigurationChanges(t *testing.T) {
	before := withWorkload(t, nil).graph(t)
	assert.Equal(t, hash(t, before), hash(t, withWorkload(t, nil).graph(t)), "nothing changed")
	assert.Equal(t, hash(t, before), hash(t, withWorkload(t, map[string]any{"replicas": 3}).graph(t)), "nothing that Pods read changed")
	for name, changed := range map[string]map[string]any{
		"a file":                     {"files": map[string]any{"/etc/shop/config.yaml": "a: c\n"}},
		"a secret file":              {"secretFiles": map[string]any{"/etc/shop/key": "another"}},
		"a secret variable":          {"secretEnv": map[string]any{"TOKEN": "another"}},
		"a value that changes sides": {"files": map[string]any{"/etc/shop/key": "a: b\n"}, "secretFiles": map[string]any{"/etc/shop/config.yaml": workloadSecret}},
	} {
		assert.NotEqual(t, hash(t, before), hash(t, withWorkload(t, changed).graph(t)), name)
	}
}

func TestTheHashOfSecretsIsKeyed(t *testing.T) {
	g := withWorkload(t, nil).graph(t)
	p := withWorkload(t, nil)
	p.answers.Password = "another key, and the same secrets"
	other, err := p.run(nil)
	require.NoError(t, err)
	assert.NotEqual(t, hash(t, g), hash(t, other), "a guess at the secret could be tried against it")
	assert.Contains(t, g["workload-shop-rollout"].Text("stdin"), hash(t, g), "the gate looks again when it changes")
}

func TestImmutableObjectsAreNamedAfterWhatTheyHold(t *testing.T) {
	name := func(changed map[string]any, role string) (object, mounted string) {
		changed["immutableConfig"] = true
		g := withWorkload(t, changed).graph(t)
		assert.True(t, at(t, g["workload-shop-"+role], "immutable").BoolValue())
		for _, volume := range template(t, g, "spec", "volumes").ArrayValue() {
			if source := volume.ObjectValue()["configMap"]; source.IsObject() {
				mounted = source.ObjectValue()["name"].StringValue()
			}
		}
		return at(t, g["workload-shop-"+role], "metadata", "name").StringValue(), mounted
	}
	first, mounted := name(map[string]any{}, "files")
	assert.Equal(t, first, mounted)
	again, _ := name(map[string]any{"secretEnv": map[string]any{"TOKEN": "another"}}, "files")
	assert.Equal(t, first, again, "another object's change leaves it as it is")
	second, _ := name(map[string]any{"files": map[string]any{"/etc/shop/config.yaml": "a: c\n"}}, "files")
	assert.NotEqual(t, first, second)
}

func TestAWorkloadShowsNoSecret(t *testing.T) {
	g := withWorkload(t, nil).graph(t)
	for _, name := range g.names() {
		for key, value := range g[name].Inputs {
			assert.Empty(t, pulumitest.FindPlain(string(key), value, workloadSecret), "%s", name)
			if strings.HasPrefix(name, "workload") {
				assert.Empty(t, pulumitest.FindPlain(string(key), value, pulumitest.Token), "%s shows the hash's key", name)
			}
		}
	}
}

func TestSkipLeavesAWorkloadWithoutGates(t *testing.T) {
	p := withWorkload(t, nil)
	p.set(t, "apps", map[string]any{"workloads": []any{shop(nil)}, "validate": "skip"})
	g := p.graph(t)
	gates := g.where(func(r pulumitest.Resource) bool {
		return strings.HasPrefix(r.Name, "workload") && r.Text("create") == health.Command
	})
	assert.Equal(t, []string{"workload-shop-tls-gate"}, gates, "Pods depend on the certificate's")
	expression, _ := wait(g["workload-shop-route-0"])
	assert.Empty(t, expression)
}

func TestRoutesAreOfTheStacksIngress(t *testing.T) {
	p := newProgram(t, "local")
	p.set(t, "ingress", map[string]any{"controllers": []string{"apisix"}})
	p.set(t, "apps", map[string]any{"workloads": []any{map[string]any{
		"name": "shop", "image": "a:1", "routes": []any{map[string]any{}, map[string]any{"host": "shop2", "kind": "HTTPRoute"}},
	}}})
	g := p.graph(t)
	assert.Equal(t, "kubernetes:apisix.apache.org/v2:ApisixRoute", g["workload-shop-route-0"].Type)
	assert.Equal(t, "kubernetes:gateway.networking.k8s.io/v1:HTTPRoute", g["workload-shop-route-1"].Type)
	assert.True(t, g.reaches("workload-shop-route-0", "apisix-webhook"))
}

// Wave must be asked about a Deployment from the first on, or it starts its Pods twice.
func TestAWorkloadOfWavesWaitsForItsWebhook(t *testing.T) {
	p := withWorkload(t, nil)
	p.set(t, "apps", map[string]any{"wave": map[string]any{"enabled": true}, "workloads": []any{shop(map[string]any{"wave": true})}})
	g := p.graph(t)
	assert.True(t, g.reaches("workload-shop-deployment", "wave-webhook"))
	assert.True(t, g.reaches("wave-release", "cert-manager-api"), "its release has a Certificate")
	assert.False(t, g.reaches("wave-webhook", "authority-gate"), "which its own issuer signs")
	assert.Equal(t, "true", at(t, g["workload-shop-deployment"], "metadata", "annotations", "wave.pusher.com/update-on-config-change").StringValue())
	assert.True(t, at(t, g["workload-shop-files"], "immutable").BoolValue(), "or a change replaces the Pods twice")
	without := withWorkload(t, nil).graph(t)
	assert.Empty(t, without["wave-release"].Name)
	assert.Empty(t, at(t, without["workload-shop-deployment"], "metadata", "annotations").ObjectValue()["wave.pusher.com/update-on-config-change"])
}

// withCanary is the shop with a canary; its routes have weights only by the Gateway API.
func withCanary(t *testing.T) graph {
	return withWorkload(t, map[string]any{"canary": map[string]any{"steps": []int{10, 50}}, "routes": []any{map[string]any{}}}).graph(t)
}

func TestAllPodsWaitForTheCanary(t *testing.T) {
	g := withCanary(t)
	assert.True(t, g.reaches("workload-shop-deployment", "workload-shop-canary"))
	assert.True(t, g.reaches("workload-shop-canary", "workload-shop-canary-rollout"), "it must serve before it is asked")
	assert.True(t, g.reaches("workload-shop-canary", "workload-shop-route-0"), "whose weights it moves")
	assert.True(t, g.reaches("workload-shop-canary-deployment", "workload-shop-tls-gate"))
	stdin := g["workload-shop-canary"].Text("stdin")
	assert.Contains(t, stdin, `"routes":["shop"],"stable":"shop","canary":"shop-canary"`)
	assert.Contains(t, stdin, `"steps":[10,50]`)
	assert.Contains(t, stdin, hash(t, g), "another configuration is another version")
	assert.Contains(t, stdin, `"traefik":{"namespace":"traefik"`)
	assert.NotContains(t, stdin, workloadSecret)
	assert.Equal(t, 1.0, at(t, g["workload-shop-canary-deployment"], "spec", "replicas").NumberValue())
	without := withWorkload(t, nil).graph(t)
	assert.Empty(t, without["workload-shop-canary"].Name)
}

// Both versions have Services of their own, and the new one no request before the command gives it some.
func TestARouteBeginsWithAllRequestsAtTheOldVersion(t *testing.T) {
	g := withCanary(t)
	rule := at(t, g["workload-shop-route-0"], "spec", "rules", "backendRefs").ArrayValue()
	require.Len(t, rule, 2)
	assert.Equal(t, "shop", rule[0].ObjectValue()["name"].StringValue())
	assert.Equal(t, 100.0, rule[0].ObjectValue()["weight"].NumberValue())
	assert.Equal(t, "shop-canary", rule[1].ObjectValue()["name"].StringValue())
	assert.Zero(t, rule[1].ObjectValue()["weight"].NumberValue())
	for service, pods := range map[string]string{"workload-shop-service": "shop", "workload-shop-canary-service": "shop-canary"} {
		assert.Equal(t, pods, at(t, g[service], "spec", "selector", "app.kubernetes.io/name").StringValue())
	}
	assert.Equal(t, "shop-canary", at(t, g["workload-shop-canary-deployment"], "spec", "template", "metadata", "labels", "app.kubernetes.io/name").StringValue())
}

// kubelet sleeps by itself from 1.30 on; before that the image's own sleep does.
func TestAnOldKubeletSleepsByTheImagesOwnSleep(t *testing.T) {
	p := withWorkload(t, nil)
	p.project.Version(t, "k3s", "v1.29.9+k3s1")
	g := p.graph(t)
	command := template(t, g, "spec", "containers", "lifecycle", "preStop", "exec", "command").ArrayValue()
	require.Len(t, command, 2)
	assert.Equal(t, "15", command[1].StringValue())
}
