package health

import (
	"fmt"
	"slices"
)

// What K3s deploys itself, by the names that facts of K3s give (manifests/coredns.yaml, metrics-server).
const (
	dnsNamespace  = "kube-system"
	dnsDeployment = "coredns"
	dnsService    = "kube-dns"
	metricsAPI    = "v1beta1.metrics.k8s.io"
)

// systemFacts is one look at what K3s deploys itself.
type systemFacts struct {
	Fault   *fault `json:"fault,omitempty"`
	Seconds int    `json:"seconds,omitempty"`
	// Account is true when ServiceAccount default/default exists: before, Pods in default are refused.
	Account bool          `json:"account,omitempty"`
	DNS     workloadFacts `json:"dns"`
	// Endpoints are the addresses behind the DNS Service.
	Endpoints endpointFacts `json:"endpoints"`
	// Metrics is the metrics APIService.
	Metrics apiServiceFacts `json:"metrics"`
}

// apiServiceFacts is one aggregated API.
type apiServiceFacts struct {
	Missing   bool      `json:"missing,omitempty"`
	Available condition `json:"available,omitzero"`
}

const accountCheck = "serviceaccount default/default"

// judgeSystem says whether the cluster can run Pods as people expect of it: an account, names, metrics.
func judgeSystem(spec SystemSpec, facts systemFacts) []Verdict {
	if facts.Fault != nil {
		unseen := func(check string) Verdict {
			return Verdict{Check: check, State: Waiting, Message: "not seen", After: []string{accountCheck}}
		}
		return []Verdict{facts.Fault.verdict(accountCheck, facts.Seconds >= startupSeconds), unseen("coredns"), unseen(dnsCheck), unseen(metricsCheck)}
	}
	verdicts := []Verdict{judgeAccount(facts.Account)}
	verdicts = append(verdicts, judgeDNS(spec, facts)...)
	return append(verdicts, judgeMetrics(spec, facts.Metrics))
}

const (
	dnsCheck     = "dns endpoints"
	metricsCheck = "apiservice " + metricsAPI
)

func judgeAccount(exists bool) Verdict {
	if exists {
		return Verdict{Check: accountCheck, State: Ready}
	}
	return Verdict{
		Check: accountCheck, State: Waiting, Message: "does not exist: Pods in default are refused",
		Cause: "the controller manager has not started or cannot write", Hint: "journalctl -u k3s -n 50 on a server",
	}
}

// judgeDNS wants the rollout and an address behind the Service: each alone has been seen without the other.
func judgeDNS(spec SystemSpec, facts systemFacts) []Verdict {
	if slices.Contains(spec.Disabled, "coredns") {
		skipped := "coredns is in the disable list"
		return []Verdict{{Check: "coredns", State: Skipped, Message: skipped}, {Check: dnsCheck, State: Skipped, Message: skipped}}
	}
	rollout := judgeWorkload(facts.DNS)
	rollout.Check = "coredns"
	if spec.Lent && facts.DNS.Missing {
		rollout = Verdict{Check: "coredns", State: Skipped, Message: "the cluster's owner runs another DNS server; its Service is looked at"}
	}
	if rollout.State == Ready && facts.DNS.Desired == 0 {
		rollout.State, rollout.Message = Waiting, "scaled to 0"
	}
	endpoints := Verdict{Check: dnsCheck, State: Ready}
	if len(facts.Endpoints.Ready) == 0 {
		endpoints = Verdict{
			Check: dnsCheck, State: Waiting, After: []string{"coredns"},
			Message: fmt.Sprintf("Service %s/%s has no ready address, %d not ready", dnsNamespace, dnsService, len(facts.Endpoints.NotReady)),
			Hint:    "kubectl -n kube-system get endpointslices -l kubernetes.io/service-name=" + dnsService,
		}
	}
	return []Verdict{rollout, endpoints}
}

// judgeMetrics wants the aggregated API to answer. One that does not blocks the deletion of every namespace, also where its
// server has been disabled and only the registration is left (kubernetes#83332).
func judgeMetrics(spec SystemSpec, m apiServiceFacts) Verdict {
	v := Verdict{Check: metricsCheck, State: Waiting}
	available := !m.Missing && m.Available.Status == "True"
	if slices.Contains(spec.Disabled, "metrics-server") {
		if m.Missing || available {
			return Verdict{Check: metricsCheck, State: Skipped, Message: "metrics-server is in the disable list"}
		}
		v.Message = "is left although metrics-server is disabled, and does not answer: " + apiServiceReason(m.Available)
		v.Cause, v.Hint = "it blocks the deletion of namespaces", "kubectl delete apiservice "+metricsAPI
		return v
	}
	switch {
	case available:
		return Verdict{Check: metricsCheck, State: Ready}
	case m.Missing && spec.Lent:
		return Verdict{Check: metricsCheck, State: Skipped, Message: "the cluster's owner has none"}
	case m.Missing:
		v.Message = "does not exist"
		v.Hint = "kubectl -n kube-system get deployment,pods -l k8s-app=metrics-server"
	default:
		v.Message = "not available: " + apiServiceReason(m.Available)
		v.Hint = "kubectl -n kube-system get deployment,pods -l k8s-app=metrics-server"
		v.Evidence = []string{conditionLine(m.Available)}
	}
	return v
}

func apiServiceReason(c condition) string {
	if c.Reason != "" {
		return c.Reason
	}
	return "no condition Available"
}
