package stackhealth

import (
	"fmt"
	"slices"
	"strings"

	"strata/actions/hosts/inventory"
	"strata/health"
)

// beyond has the needs, by kind, that a reader's kubeconfig does not meet (credential.ReaderRules).
var beyond = map[health.Kind]string{
	health.KindHost:      "a login on the host (SSH)",
	health.KindServer:    "a login on the host (SSH)",
	health.KindVM:        "a login on the hypervisor",
	health.KindWebhook:   "dry runs (create)",
	health.KindVault:     "get pods/proxy",
	health.KindMetrics:   "get services/proxy",
	health.KindUpstreams: "create pods/portforward",
}

// partly has the needs of some checks, by kind; those checks are Skipped.
var partly = map[health.Kind]string{
	health.KindNodes:       "a login on hosts (SSH) for their units and Pod network",
	health.KindSystem:      "a login on hosts (SSH) for the names that they ask for",
	health.KindAddress:     "a login on hosts (SSH) for connections from there",
	health.KindCertificate: "get secrets for the pair",
	health.KindIssuer:      "get secrets for the stack's own CA",
	health.KindRollout:     "get secrets for the rights of its release, get pods/log for redis",
}

// needOf returns the need of a gate that a reader's kubeconfig does not meet; empty if the gate can
// run.
func needOf(spec health.Spec) string {
	switch {
	case beyond[spec.Kind] != "":
		return beyond[spec.Kind]
	case spec.Tunnel().There():
		return "a login at the jump host (SSH)"
	case spec.Kind != health.KindHTTP:
		return ""
	case spec.HTTP.CASecret != "":
		return "get secrets for the CA"
	case slices.ContainsFunc(spec.HTTP.Probes, func(p health.HTTPProbe) bool {
		return p.Auth || p.Login || p.KeyHeader != ""
	}):
		return "passwords of the state"
	}
	return ""
}

// ofReader gives gates a reader's kubeconfig and no other secret. It returns the gates that can run
// with it, and the results of the others.
func ofReader(gates []inventory.Gate, kubeconfig []byte) (asked []inventory.Gate, others []health.Result) {
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

// isUnasked reports whether a gate did not run because it needs more than a reader's kubeconfig.
func isUnasked(gate AskedGate) bool { return gate.Ending == health.EndedNotAsked }

// isPart reports whether a gate ran in part. A gate for workloads that no release installs runs in
// full.
func isPart(gate AskedGate) bool {
	skipped := func(v health.Verdict) bool { return v.State == health.Skipped }
	return gate.State != health.Missing && partly[gate.Kind] != "" &&
		(gate.Kind != health.KindRollout || slices.ContainsFunc(gate.Checks, skipped))
}

// unasked lists the checks that a reader's round left out, with their needs.
func (r Round) unasked() string {
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
