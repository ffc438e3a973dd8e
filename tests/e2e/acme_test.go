package e2e

import (
	"crypto/x509"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An ACME server signs the platform's certificates, by HTTP-01 through the ingress and by DNS-01.
// The story causes a failure at each stage, which the gates must name.
func TestACMESigns(t *testing.T) {
	t.Parallel()
	net := network{"sta0", "10.36.0"}
	all := []node{{"server-1", "server", 11}}
	hosts := existingHosts(t, "e2ec", net, all...)
	names := serveNames(t, net.address(1), "platform.test.")
	server, another := serveACME(t, net.address(1), names), serveACME(t, net.address(1), names)
	names.leads(names.inside, "traefik.platform.test", net.address(205))
	s := newStack(t, "e2e-acme", nil)
	s.step("a failed challenge is named with the server's error",
		func(t *testing.T) {
			const named = "HTTP-01 challenge for traefik.platform.test is invalid"
			r := s.refusedWithin(t, 45*time.Second, func(limit string) result {
				s.signedByACME(hosts, server, names, false, limit)
				return s.up()
			}, "gate traefik-tls-gate", named, "urn:ietf:params:acme:error:connection",
				"the ACME server does not reach the name's address", "cert-manager tries again at")
			failed, err := time.Parse(time.RFC3339,
				hosts.must("server-1", `k3s kubectl -n traefik get orders -o jsonpath='{.items[0].status.failureTime}'`))
			require.NoError(t, err)
			t.Logf("named %s after the Order had failed",
				r.when(t, named).Sub(failed).Round(time.Second))
		})
	s.step("once the ACME server resolves the name, an update succeeds", func(t *testing.T) {
		names.leads(names.outside, "traefik.platform.test", net.address(205))
		s.signedByACME(hosts, server, names, false, patient)
		hosts.issueAgain()
		s.must(s.up())
		assert.Equal(t, server.root, s.output("caCertificate"))
		assert.Equal(t, 401, s.get(t, s.urls()["traefik"], "").code)
		s.must(s.up("--expect-no-changes"))
	})
	s.step("a refused account is named",
		func(t *testing.T) { s.namesARefusedAccount(t, hosts, server) })
	s.step("a renewal makes a new order, and is served", func(t *testing.T) {
		before := server.orders.Load()
		s.renews(t)
		assert.Greater(t, server.orders.Load(), before)
		s.healthy()
	})
	s.step("a rate limit is named with its end", func(t *testing.T) {
		server.limited.Store(true)
		require.NoError(t, s.client().CoreV1().Secrets("traefik").Delete(t.Context(), "traefik-tls",
			metav1.DeleteOptions{}))
		s.unhealthy(t, []string{"--gate", "traefik-tls-gate"}, "ACME order traefik-tls-",
			"429 urn:ietf:params:acme:error:rateLimited",
			"the ACME server's rate limit is reached; it takes requests again after 2030-01-01 "+
				"00:00:00 UTC", "cert-manager tries again at")
		server.limited.Store(false)
		hosts.issueAgain()
		s.healthy("--gate", "traefik-tls-gate")
	})
	s.step("a new ACME server signs each certificate once", func(t *testing.T) {
		server = another
		s.signedByACME(hosts, server, names, false, patient)
		s.must(s.up())
		assert.Equal(t, server.root, s.output("caCertificate"))
		s.served(t, rootsOf(t, server.root), s.output("ingressAddress"))
		s.must(s.up("--expect-no-changes"))
		orders := server.orders.Load()
		s.healthy()
		assert.Equal(t, int64(1), orders, "once")
	})
	s.step("DNS-01 gives a wildcard certificate, and prints no secret", func(t *testing.T) {
		s.signedByACME(hosts, server, names, true, patient)
		up := s.must(s.up())
		roots := rootsOf(t, s.output("caCertificate"))
		assert.ElementsMatch(t, []string{"platform.test", "*.platform.test"},
			s.served(t, roots, s.output("ingressAddress")).DNSNames)
		plain := s.must(s.run("pulumi", "stack", "export", "--stack", s.name)).output
		for _, secret := range []string{server.key, names.key} {
			assert.NotContains(t, up.output, secret)
			assert.NotContains(t, plain, secret)
		}
		s.healthy()
	})
	s.step("destroy", func(t *testing.T) {
		s.must(s.destroy())
		assert.Empty(t, s.resources())
	})
}

// rootsOf returns a pool of the CAs in a PEM text.
func rootsOf(t *testing.T, text string) *x509.CertPool {
	t.Helper()
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM([]byte(text)))
	return roots
}

// signedByACME configures a platform whose certificates an ACME server signs.
func (s *stack) signedByACME(
	hosts *hostSet, server *acmeServer, names *nameServer, byDNS bool, timeout string,
) {
	acme := map[string]any{
		"server": server.directory, "caCertificate": server.ca, "root": server.root,
		"email": "platform@platform.test", "eab": map[string]any{"keyID": server.keyID},
	}
	secrets := map[string]string{"strata:certManager.acme.eab.key": server.key}
	if byDNS {
		acme["solver"] = "dns01"
		acme["dns01"] = map[string]any{"rfc2136": map[string]any{
			"nameserver": names.address, "tsigKeyName": strings.TrimSuffix(tsigName, "."),
			"tsigAlgorithm":       "HMACSHA256",
			"tsigSecretSecretRef": map[string]any{"name": "dns-key", "key": "tsig"},
		}}
		acme["secrets"] = []any{map[string]any{"name": "dns-key", "key": "tsig"}}
		secrets["strata:certManager.acme.secrets[0].value"] = names.key
	}
	sections := platform(hosts, hosts.nodes...)
	sections["argocd"] = map[string]any{"enabled": false}
	sections["timeouts"] = map[string]any{"certificate": timeout}
	sections["certManager"] = map[string]any{"issuer": "acme", "acme": acme,
		"values": map[string]any{
			// cert-manager first checks the challenge's record itself. It must ask the story's name
			// server, because the cluster's DNS does not know the zone.
			"config": map[string]any{
				"apiVersion":       "controller.config.cert-manager.io/v1alpha1",
				"kind":             "ControllerConfiguration",
				"acmeHTTP01Config": map[string]any{"solverNameservers": []any{names.address}},
			},
			"dns01RecursiveNameservers": names.address, "dns01RecursiveNameserversOnly": true,
		}}
	s.configure(sections)
	for path, value := range secrets {
		s.must(s.pulumi("config", "set", "--secret", "--path", path, value))
	}
}

// issueAgain makes cert-manager retry now instead of an hour after a failed issuance.
func (l *hostSet) issueAgain() {
	l.must("server-1", `k3s kubectl -n traefik patch certificate traefik-tls --subresource=status --type=merge -p '{"status":{"lastFailureTime":null,"failedIssuanceAttempts":null}}'`)
}

// namesARefusedAccount asserts that the gate of an issuer without an external account names the
// refusal of an ACME server that requires one.
func (s *stack) namesARefusedAccount(t *testing.T, hosts *hostSet, server *acmeServer) {
	hosts.must("server-1", `k3s kubectl apply -f - <<EOF
apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata: {name: stranger}
spec: {acme: {server: "`+server.directory+`", skipTLSVerify: true, privateKeySecretRef: {name: stranger}, solvers: [{http01: {ingress: {}}}]}}
EOF`)
	spec := map[string]any{
		"kind": "issuer", "gate": "stranger", "layer": "cert-manager", "timeout": "1m",
		"timeoutKey": "strata:timeouts.certificate",
		"servers":    []string{"https://" + hosts.net.address(11) + ":6443"},
		"issuer":     map[string]any{"name": "stranger"},
	}
	s.refused(t, s.feed(spec, "gate"), "gate stranger: stuck", "Failed to register ACME account: 4",
		"the ACME server wants an external account")
	hosts.must("server-1", "k3s kubectl delete clusterissuer stranger")
}
