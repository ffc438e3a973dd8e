package charts_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/health/address"
	"strata/health/api"
	"strata/health/claim"
	"strata/health/crds"
	"strata/health/gateway"
	"strata/health/healthtest"
	"strata/health/http"
	"strata/health/issuer"
	"strata/health/kinds"
	"strata/health/rollout"
	"strata/health/upstreams"
	"strata/health/vault"
	"strata/health/webhook"
)

// Each of these mutants breaks one property of the program or a chart. The checks must detect it.

// inGates are mutants of the specs of gates.
var inGates = []struct {
	name, gate string
	mistake    func(*health.Spec)
	want       string
}{
	{"a renamed workload", "metallb-rollout",
		inBody(func(b *rollout.Spec) { b.Workloads[0] = "metallb-system/DaemonSet/speaker" }),
		"no chart makes metallb-system/DaemonSet/speaker"},
	{"a workload of another kind", "traefik-rollout",
		inBody(func(b *rollout.Spec) { b.Workloads[0] = "traefik/DaemonSet/traefik" }),
		"no chart makes traefik/DaemonSet/traefik"},
	{"a workload elsewhere", "cert-manager-api",
		inBody(func(b *webhook.Spec) { b.Workloads[0] = "default/Deployment/cert-manager" }),
		"no chart makes default/"},
	{"a renamed configuration", "metallb-webhook",
		inBody(func(b *webhook.Spec) { b.Configuration = "metallb" }),
		"no chart makes ValidatingWebhookConfiguration metallb"},
	{"another mutating one", "cert-manager-api",
		inBody(func(b *webhook.Spec) { b.Mutates = "other" }),
		"no chart makes MutatingWebhookConfiguration other"},
	{"the webhook's service", "metallb-webhook",
		inBody(func(b *webhook.Spec) { b.Service = "webhook" }),
		"no chart makes Service metallb-system/webhook"},
	{"the webhook's port", "cert-manager-api", inBody(func(b *webhook.Spec) { b.Port = 10250 }),
		"is not at cert-manager/cert-manager-webhook:10250"},
	{"who refuses", "metallb-webhook", inBody(
		func(b *webhook.Spec) { b.DenyMatch = "pool.metallb.io" }),
		`"pool.metallb.io" in its name`},
	{"a kind that no webhook is asked about", "metallb-webhook",
		inBody(func(b *webhook.Spec) { b.Accept["kind"] = "ServiceL2Status" }),
		"is not asked about the gate's request"},
	{"the certificate's Secret", "metallb-webhook",
		inBody(func(b *webhook.Spec) { b.CASecret = "webhook-cert" }),
		"nothing makes Secret metallb-system/webhook-cert"},
	{"a port that is not open", "traefik-address",
		inBody(func(b *address.Spec) { b.Ports = []int{8080} }), "has no port 8080"},
	{"a Service that stays inside", "traefik-address",
		inBody(func(b *address.Spec) { b.Namespace, b.Service = "argocd", "argocd-server" }),
		`is of type "ClusterIP"`},
	{"a URL's port", "argocd-server", inBody(
		func(b *http.Spec) { b.Probes[0].URL = "https://argocd.example.org:8443/" }),
		"has no port 8443"},
	{"the CA's Secret", "argocd-server",
		inBody(func(b *http.Spec) { b.CASecret = "cert-manager/ca" }),
		"nothing makes Secret cert-manager/ca"},
	{"the Gateway's class", "traefik-programmed",
		inBody(func(b *gateway.Spec) { b.Class = "nginx" }), "no chart makes GatewayClass nginx"},
	{"a listener", "traefik-programmed",
		inBody(func(b *gateway.Spec) { b.Listeners = []string{"web"} }), "no listener web"},
	{"Vault's port", "vault-gate", inBody(func(b *vault.Spec) { b.Port = 8300 }),
		"does not listen on 8300"},
	{"Vault's Pod", "vault-gate", inBody(func(b *vault.Spec) { b.Pod = "vault-server-0" }),
		"no StatefulSet makes Pod vault/vault-server-0"},
	{"Vault's volume", "vault-volume", inBody(func(b *claim.Spec) { b.Name = "data-vault-1" }),
		"no StatefulSet makes PersistentVolumeClaim vault/data-vault-1"},
	{"a definition", "crds-gateway-api-gate",
		inBody(func(b *crds.Spec) { b.Names = []string{"gates.gateway.networking.k8s.io"} }),
		"no definition gates.gateway"},
	{"an issuer", "ca-gate", inBody(func(b *issuer.Spec) { b.Name = "strata-other" }),
		"registers no ClusterIssuer"},
	{"the data plane's labels", "validation-upstreams",
		inBody(func(b *upstreams.Spec) { b.Selector = "app=apisix" }),
		"no workload in apisix with app=apisix listens on"},
	{"the admin API's port", "validation-upstreams",
		inBody(func(b *upstreams.Spec) { b.Port = 9080 + 1 }), "listens on 9081"},
	{"a route that does not exist", "validation-upstreams",
		inBody(func(b *upstreams.Spec) { b.Routes[0].Name = "other" }), "the program registers no"},
	{"a kind that is new", "ca-gate", func(s *health.Spec) { s.Body = newKind{} },
		"say here what a gate of kind new relies on"},
}

// newKind is a kind of gate for which there is no check.
type newKind struct{ api.Spec }

func (newKind) Traits() health.Traits { return health.Traits{Kind: "new"} }

// inBody returns a mutant that changes the body of a gate's spec.
func inBody[B health.Body](change func(*B)) func(*health.Spec) {
	return func(s *health.Spec) { healthtest.Change(s, change) }
}

func TestCheckDetectsMutatedGate(t *testing.T) {
	vault := newWorld(t, newProgram(t, platforms[2].keys))
	apisix := newWorld(t, newProgram(t, platforms[1].keys))
	for _, mutant := range inGates {
		t.Run(mutant.name, func(t *testing.T) {
			w, named := vault, func(s health.Spec) bool { return s.Gate == mutant.gate }
			if !slices.ContainsFunc(w.gates, named) {
				w = apisix
			}
			i := slices.IndexFunc(w.gates, named)
			require.GreaterOrEqual(t, i, 0, mutant.gate)
			text, err := json.Marshal(w.gates[i])
			require.NoError(t, err)
			spec, err := kinds.Parse(text) // each mutant changes its own copy
			require.NoError(t, err)
			mutant.mistake(&spec)
			w.problems = nil
			w.gate(spec)
			assert.Contains(t, strings.Join(w.problems, "\n"), mutant.want)
		})
	}
}

// inObjects are mutants that replace a text in the program's objects (own), or in those of a chart,
// as a later version of the chart might.
var inObjects = []struct {
	name, from, old, other string
	own                    bool
	want                   string
}{
	{"a route to another Service", "argocd-route", `"name":"argocd-server","port"`,
		`"name":"argocd","port"`, true, "no chart makes Service argocd/argocd"},
	{"a route to another port", "argocd-route", `"port":80`, `"port":8080`, true,
		"argocd/argocd-server has no port 8080"},
	{"a route on another listener", "argocd-route", `"sectionName":"https"`, `"sectionName":"tls"`,
		true, "with listener tls"},
	{"a listener's port", "traefik-gateway", `"port":8443`, `"port":443`, true,
		"nothing listens for listener https"},
	{"Vault's address", "vault-ca-issuer", "vault.vault.svc:8200", "vault.vault.svc:443", true,
		"Service vault/vault has no port 443"},
	{"a version that is not served", "metallb-pool", "metallb.io/v1beta1",
		"metallb.io/v1beta3", true,
		"no definition serves metallb.io/v1beta3"},
	{"the name of a Secret", "argocd-redis", `"name":"argocd-redis"`, `"name":"redis"`, true,
		"nothing makes Secret argocd/argocd-redis"},
	{"Vault's certificate", "vault-certificate-request", `"secretName":"vault-tls"`,
		`"secretName":"tls"`, true, "StatefulSet vault/vault: nothing makes Secret vault/vault-tls"},
	{"where Vault keeps its data", "vault ", `"mountPath":"/vault/data"`,
		`"mountPath":"/vault/file"`,
		false, "nothing is mounted at /vault/data"},
	{"a Service's selector", "traefik ", `"selector":{`, `"selector":{"tier":"edge",`, false,
		"nothing listens behind port 80 of Service traefik/traefik"},
	{"a container's port", "argo-cd ", `"containerPort":8080`, `"containerPort":8099`, false,
		"nothing listens behind port 80 of Service argocd/argocd-server"},
	{"a label in our messages", "argo-cd ", `"app.kubernetes.io/name":"argocd-repo-server"`,
		`"app.kubernetes.io/name":"repo"`, false,
		"no Pod in argocd has the name label argocd-repo-server"},
	{"the Pods that are spread", "traefik ", `"matchLabels":{"app.kubernetes.io/name":"traefik"}}`,
		`"matchLabels":{"app.kubernetes.io/name":"proxy"}}`, false,
		"spreads Pods that are not its own"},
}

func TestCheckDetectsMutatedObject(t *testing.T) {
	sound := newWorld(t, newProgram(t, platforms[2].keys))
	for _, mutant := range inObjects {
		t.Run(mutant.name, func(t *testing.T) {
			w := *sound
			list := &w.charts
			if mutant.own {
				list = &w.own
			}
			*list = replaced(t, *list, mutant.from, mutant.old, mutant.other)
			problems, _ := w.check()
			assert.Contains(t, strings.Join(problems, "\n"), mutant.want)
		})
	}
}

// replaced returns objects in which another text replaces old. Only objects from one source change.
func replaced(t *testing.T, objects []object, from, old, other string) []object {
	t.Helper()
	changed, found := slices.Clone(objects), false
	for i, one := range changed {
		if !strings.Contains(one.from, from) || !strings.Contains(string(one.text), old) {
			continue
		}
		again := parse(t, one.from, one.Namespace, strings.ReplaceAll(string(one.text), old, other))
		changed[i], found = again[0], true
	}
	require.True(t, found, "nothing from %s has %s", from, old)
	return changed
}
