package system

import (
	"fmt"
	"slices"
	"strings"

	"strata/health"
	"strata/health/kube"
)

// The names that K3s's manifests give to its components (manifests/coredns.yaml, metrics-server).
const (
	dnsNamespace  = "kube-system"
	dnsDeployment = "coredns"
	dnsService    = "kube-dns"
	metricsAPI    = "v1beta1.metrics.k8s.io"
)

// systemFacts describes the packaged components of K3s.
type systemFacts struct {
	kube.APIFault
	// Account is true when ServiceAccount default/default exists. Before that, the API server
	// refuses Pods in namespace default.
	Account bool               `json:"account,omitempty"`
	DNS     kube.WorkloadFacts `json:"dns"`
	// Endpoints are the addresses behind the DNS Service.
	Endpoints kube.EndpointFacts `json:"endpoints"`
	// Server is the address of the DNS Service, which the hosts query; empty if there is no Service.
	// API is the address of the API's Service, which is the expected answer.
	Server string `json:"server,omitempty"`
	API    string `json:"api,omitempty"`
	// Metrics is the metrics APIService.
	Metrics apiServiceFacts `json:"metrics"`
}

// apiServiceFacts describes one aggregated API.
type apiServiceFacts struct {
	Missing   bool           `json:"missing,omitempty"`
	Available kube.Condition `json:"available,omitzero"`
	// Unmeasured are the Nodes that have no metrics although measuredAfter has passed. Refused is
	// the metrics API's error; empty if it answered.
	Unmeasured []string `json:"unmeasured,omitempty"`
	Refused    string   `json:"refused,omitempty"`
}

const accountCheck = "serviceaccount default/default"

// judgeSystem judges whether the cluster can run Pods: the default ServiceAccount, DNS and metrics.
// In an existing cluster, DNS is not tested from the hosts, because they are unknown.
func judgeSystem(spec Spec, facts systemFacts, names namesFacts) []health.Verdict {
	verdicts := judgeObjects(spec, facts)
	if spec.Existing {
		return verdicts
	}
	return append(verdicts, judgeNames(spec.Domain, names)...)
}

func judgeObjects(spec Spec, facts systemFacts) []health.Verdict {
	if facts.Fault != nil {
		return facts.FaultVerdicts(accountCheck, "coredns", dnsCheck, metricsCheck)
	}
	verdicts := []health.Verdict{judgeAccount(facts.Account)}
	verdicts = append(verdicts, judgeDNS(spec, facts)...)
	return append(verdicts, judgeMetrics(spec, facts.Metrics))
}

const (
	dnsCheck     = "dns endpoints"
	metricsCheck = "apiservice " + metricsAPI
	// noDNS is the message if CoreDNS is not checked.
	noDNS = "coredns is in the disable list"
	// restoring is the fix for a deleted component: K3s applies its manifests when a server starts,
	// and later only those that change (k3s pkg/deploy/controller.go, listFiles).
	restoring = "if it was deleted: systemctl restart k3s on a server creates it again"
)

func judgeAccount(exists bool) health.Verdict {
	if exists {
		return health.Verdict{Check: accountCheck, State: health.Ready}
	}
	return health.Verdict{
		Check: accountCheck, State: health.Waiting,
		Message: "does not exist: Pods in default are refused",
		Cause:   "the controller manager has not started or cannot write",
		Hint:    "journalctl -u k3s -n 50 on a server",
	}
}

// judgeDNS requires both the rollout and an address behind the Service, because each has been seen
// without the other.
func judgeDNS(spec Spec, facts systemFacts) []health.Verdict {
	if slices.Contains(spec.Disabled, "coredns") {
		return []health.Verdict{{Check: "coredns", State: health.Skipped, Message: noDNS},
			{Check: dnsCheck, State: health.Skipped, Message: noDNS}}
	}
	rollout := kube.JudgeWorkload(facts.DNS)
	rollout.Check = "coredns"
	if spec.Existing && facts.DNS.Missing {
		rollout = health.Verdict{Check: "coredns", State: health.Skipped,
			Message: "the cluster's owner runs another DNS server; its Service is observed"}
	}
	if !spec.Existing && facts.DNS.Missing {
		rollout.Hint = restoring
	}
	endpoints := health.Verdict{Check: dnsCheck, State: health.Ready}
	switch {
	case facts.Server == "" && len(facts.Endpoints.Ready) == 0:
		endpoints = health.Verdict{Check: dnsCheck, State: health.Waiting,
			Message: fmt.Sprintf("Service %s/%s does not exist", dnsNamespace, dnsService),
			Hint:    "kubectl -n kube-system get services"}
		if !spec.Existing {
			endpoints.Hint = restoring
		}
	case len(facts.Endpoints.Ready) == 0:
		endpoints = health.Verdict{
			Check: dnsCheck, State: health.Waiting, After: []string{"coredns"},
			Message: fmt.Sprintf("Service %s/%s has no ready address, %d not ready", dnsNamespace,
				dnsService, len(facts.Endpoints.NotReady)),
			Hint: "kubectl -n kube-system get endpointslices -l kubernetes.io/service-name=" +
				dnsService,
		}
	}
	return []health.Verdict{rollout, endpoints}
}

// judgeMetrics requires that the metrics API answers. An APIService that does not answer blocks the
// deletion of every namespace, even if metrics-server was disabled (kubernetes#83332).
func judgeMetrics(spec Spec, m apiServiceFacts) health.Verdict {
	v := health.Verdict{Check: metricsCheck, State: health.Waiting}
	available := !m.Missing && m.Available.Status == "True"
	if slices.Contains(spec.Disabled, "metrics-server") {
		if m.Missing || available {
			return health.Verdict{Check: metricsCheck, State: health.Skipped,
				Message: "metrics-server is in the disable list"}
		}
		v.Message = "is left although metrics-server is disabled, and does not answer: " +
			apiServiceReason(m.Available)
		v.Cause = "it blocks the deletion of namespaces"
		v.Hint = "kubectl delete apiservice " + metricsAPI
		return v
	}
	switch {
	case available && m.Refused != "":
		v.Message = "is Available, and does not answer for Nodes: " + m.Refused
		v.Hint = "kubectl top nodes; kubectl -n kube-system logs deployment/metrics-server --tail=20"
	case available && len(m.Unmeasured) > 0:
		v.Message = "has no metrics of Node " + strings.Join(m.Unmeasured, ", ")
		v.Cause = "metrics-server gets no answer from the kubelet at TCP 10250 there: a firewall, most likely"
		v.Hint = "let each node reach each other at TCP 10250; kubectl -n kube-system logs " +
			"deployment/metrics-server --tail=20 has the error"
	case available:
		return health.Verdict{Check: metricsCheck, State: health.Ready}
	case m.Missing && spec.Existing:
		return health.Verdict{Check: metricsCheck, State: health.Skipped,
			Message: "the cluster's owner has none"}
	case m.Missing:
		v.Message, v.Hint = "does not exist", restoring
	default:
		v.Message = "not available: " + apiServiceReason(m.Available)
		v.Cause = apiServiceCauses[m.Available.Reason]
		v.Hint = "kubectl -n kube-system get deployment,pods -l k8s-app=metrics-server"
		if !spec.Existing {
			v.Hint += "; " + restoring
		}
		v.Evidence = []string{kube.ConditionLine(m.Available)}
	}
	return v
}

// apiServiceCauses explains the reasons of condition Available (kube-aggregator,
// pkg/controllers/status/remote).
var apiServiceCauses = map[string]string{
	"MissingEndpoints":  "no Pod of metrics-server is ready, or it is scaled to 0",
	"EndpointsNotFound": "no Pod of metrics-server is ready, or it is scaled to 0",
	"ServiceNotFound":   "the Service of metrics-server does not exist",
	"FailedDiscoveryCheck": "the API servers do not reach metrics-server's Pod, or it has no " +
		"metrics yet: Pod network, kube-proxy or a firewall",
}

func apiServiceReason(c kube.Condition) string {
	if c.Reason != "" {
		return c.Reason
	}
	return "no condition Available"
}
