package gates_test

import (
	"encoding/base64"
	"testing"
	"time"

	"strata/health"
	"strata/health/webhook"
	"strata/tests/gates/fakeapi"
)

const waveText = `
apiVersion: v1
kind: Secret
metadata: {name: wave-wave-webhook-server-cert, namespace: wave}
data: {ca.crt: {{.ca}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: wave-wave-mutating-webhook-configuration}
webhooks:
  - name: deployments.wave.pusher.com
    failurePolicy: Ignore
    clientConfig: {caBundle: "{{.ca}}", service: {namespace: wave, name: wave-wave-webhook-service, path: /mutate-apps-v1-deployment}}
    rules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: wave-wave-webhook-service-x, namespace: wave, labels: {kubernetes.io/service-name: wave-wave-webhook-service}}
addressType: IPv4
endpoints: [{addresses: [10.42.1.7], conditions: {ready: true}}]
`

// held is the name of the scheduler that Wave's webhook gives to Pods, so that they wait.
const held = "wave.pusher.com/invalid"

func waveSpec(c *fakeapi.Cluster) health.Spec {
	return health.Spec{Servers: c.URLs(), Body: webhook.Spec{
		Configuration: "wave-wave-mutating-webhook-configuration", Mutating: true,
		Namespace: "wave", Service: "wave-wave-webhook-service", Port: 443,
		CASecret: "wave-wave-webhook-server-cert",
		Accept: map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment",
			"metadata": map[string]any{"generateName": "strata-gate-", "namespace": "wave"},
			"spec":     map[string]any{"template": map[string]any{"spec": map[string]any{}}},
		},
		AcceptFills: []string{"spec.template.spec.schedulerName=" + held},
	}}
}

// scheduling returns an admission that sets the scheduler of an object's Pods, as Wave's webhook
// does, or the API server by default.
func scheduling(name string) func(map[string]any) *fakeapi.Refusal {
	return func(object map[string]any) *fakeapi.Refusal {
		object["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)["schedulerName"] = name
		return nil
	}
}

func healWave(t testing.TB, c *fakeapi.Cluster) {
	t.Helper()
	c.Serve("apps/v1", "Deployment", fakeapi.Resource{Plural: "deployments", Namespaced: true})
	c.PutAll(object(t, waveText, map[string]any{
		"ca": base64.StdEncoding.EncodeToString([]byte("the CA"))}))
	for _, server := range c.Servers {
		server.Script(fakeapi.Script{Admit: scheduling(held)})
	}
}

// The webhook's failurePolicy is Ignore. So an API server that cannot call the webhook admits every
// object, with default values.
func TestWaveWebhookGateStaysClosedWithoutMutatedField(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name  string
		spoil func(*fakeapi.Cluster)
		says  string
	}{
		{"one API server does not ask it", func(c *fakeapi.Cluster) {
			c.Servers[1].Script(fakeapi.Script{Admit: scheduling("default-scheduler")})
		}, "accepted but not mutated: spec.template.spec.schedulerName=" + held},
		{"nothing is filled in", func(c *fakeapi.Cluster) {
			c.Servers[0].Script(fakeapi.Script{
				Admit: func(map[string]any) *fakeapi.Refusal { return nil }})
		}, "accepted but not mutated"},
		{"no configuration", func(c *fakeapi.Cluster) {
			c.Delete("admissionregistration.k8s.io/v1", "mutatingwebhookconfigurations", "",
				"wave-wave-mutating-webhook-configuration")
		}, "does not exist: the API server would call no webhook"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c := fakeapi.New(t, 2)
			healWave(t, c)
			fault.spoil(c)
			gate := start(t, c, waveSpec(c))
			gate.says(fault.says)
			gate.stays(200 * time.Millisecond)
			healWave(t, c)
			gate.opens()
		})
	}
}
