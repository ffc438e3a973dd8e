package stackhealth

import (
	"fmt"
	"slices"
	"strings"

	"strata/actions/hosts/inventory"
	"strata/health"
	"strata/health/address"
	"strata/health/certificate"
	"strata/health/host"
	"strata/health/http"
	"strata/health/issuer"
	"strata/health/metrics"
	"strata/health/nodes"
	"strata/health/rollout"
	"strata/health/server"
	"strata/health/system"
	"strata/health/upstreams"
	"strata/health/vault"
	"strata/health/vm"
	"strata/health/webhook"
)

// beyond maps kinds of gates to the permission or secret that they need besides a read-only user's
// kubeconfig (credential.ReaderRules). Such a gate does not run for this user.
var beyond = map[health.Kind]string{
	host.Kind:      "a login on the host (SSH)",
	server.Kind:    "a login on the host (SSH)",
	vm.Kind:        "a login on the hypervisor",
	webhook.Kind:   "dry runs (create)",
	vault.Kind:     "get pods/proxy",
	metrics.Kind:   "get services/proxy",
	upstreams.Kind: "create pods/portforward",
}

// partly maps kinds of gates to the permission that some of their checks need besides a read-only
// user's kubeconfig. For this user, these checks are Skipped.
var partly = map[health.Kind]string{
	nodes.Kind:       "a login on hosts (SSH) for their units and Pod network",
	system.Kind:      "a login on hosts (SSH) for the names that they ask for",
	address.Kind:     "a login on hosts (SSH) for connections from there",
	certificate.Kind: "get secrets for the pair",
	issuer.Kind:      "get secrets for the stack's own CA",
	rollout.Kind:     "get secrets for the rights of its release, get pods/log for redis",
}

// needOf returns what a gate needs besides a read-only user's kubeconfig; empty if it can run.
func needOf(spec health.Spec) string {
	urls, _ := spec.Body.(http.Spec)
	switch {
	case beyond[spec.Kind()] != "":
		return beyond[spec.Kind()]
	case spec.Tunnel().There():
		return "a login at the jump host (SSH)"
	case urls.CASecret != "":
		return "get secrets for the CA"
	case slices.ContainsFunc(urls.Probes,
		func(p http.Probe) bool { return p.Auth || p.Login || p.KeyHeader != "" }):
		return "passwords of the state"
	}
	return ""
}

// ofReader gives the gates a read-only user's kubeconfig and no other secret. asked are the gates
// that can run with this kubeconfig; others are the results of the gates that cannot.
func ofReader(gates []inventory.Gate, kubeconfig []byte) (asked []inventory.Gate,
	others []health.Result) {
	for _, gate := range gates {
		if needs := needOf(gate.Spec); needs != "" {
			others = append(others, health.NotAsked(gate.Spec, needs))
			continue
		}
		gate.Secrets = health.Secrets{Kubeconfig: kubeconfig, Reader: true}
		asked = append(asked, gate)
	}
	return asked, others
}

// isUnasked reports whether a gate did not run because the read-only user's kubeconfig does not
// suffice.
func isUnasked(gate AskedGate) bool { return gate.Ending == health.EndedNotAsked }

// isPart reports whether a gate ran without some of its checks. This holds for each kind in partly,
// except a rollout gate that skipped no check, because its workloads belong to no Helm release.
func isPart(gate AskedGate) bool {
	skipped := func(v health.Verdict) bool { return v.State == health.Skipped }
	return gate.State != health.Missing && partly[gate.Kind] != "" &&
		(gate.Kind != rollout.Kind || slices.ContainsFunc(gate.Checks, skipped))
}

// listUnasked lists the gates that did not run, or ran in part, with what they need. It is empty
// unless the round used a read-only user's kubeconfig.
func (r Round) listUnasked() string {
	if !r.Reader {
		return ""
	}
	var whole, part strings.Builder
	for _, gate := range r.Gates {
		switch {
		case isUnasked(gate):
			fmt.Fprintf(&whole, "  %s %s\n", gate.Gate, gate.Checks[0].Message)
		case isPart(gate):
			fmt.Fprintf(&part, "  %s needs %s\n", gate.Gate, partly[gate.Kind])
		}
	}
	text := ""
	if whole.Len() > 0 {
		text += "not asked with this kubeconfig:\n" + whole.String()
	}
	if part.Len() > 0 {
		text += "asked in part with this kubeconfig:\n" + part.String()
	}
	return text
}
