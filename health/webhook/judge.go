package webhook

import (
	"fmt"
	"slices"

	"strata/health"
	"strata/health/host"
	"strata/health/kube"
	"strata/health/rights"
)

const (
	// consecutiveDefault is the default number of passes in a row that each API server must give.
	consecutiveDefault = 2
	// consecutiveUnproved is the number of passes in a row if the Spec has no Deny. An API server
	// that does not know the configuration yet accepts too, so the passes must last for about a
	// second.
	consecutiveUnproved = 10
	// deniedSeconds is the number of seconds after which a refusal of Accept is Stuck. A webhook
	// may refuse it at first, until its caches are filled.
	deniedSeconds = 5
)

// webhookFacts describes an admission webhook.
type webhookFacts struct {
	kube.APIFault
	Configuration configurationFacts `json:"configuration"`
	// Mutation is the mutating configuration; nil if the Spec has none.
	Mutation  *configurationFacts  `json:"mutation,omitempty"`
	Endpoints kube.EndpointFacts   `json:"endpoints"`
	Workloads []kube.WorkloadFacts `json:"workloads,omitempty"`
	Rights    []rights.Facts       `json:"rights,omitempty"`
	// Probes are the dry runs through each API server.
	Probes []probeFacts `json:"probes,omitempty"`
	// Hosts says which of the API servers' hosts reach the webhook.
	Hosts host.HostsFacts `json:"hosts,omitzero"`
}

// rolledOut reports whether the webhook's workloads are rolled out.
func (f webhookFacts) rolledOut() bool {
	return !slices.ContainsFunc(f.Workloads, func(w kube.WorkloadFacts) bool {
		return kube.JudgeWorkload(w).State != health.Ready
	})
}

// configurationFacts describes a webhook configuration object.
type configurationFacts struct {
	Missing bool        `json:"missing,omitempty"`
	Hooks   []hookFacts `json:"hooks,omitempty"`
	// NoCA is true when the Secret that the bundles must equal has no ca.crt.
	NoCA bool `json:"noCA,omitempty"`
}

// hookFacts describes one webhook of a configuration.
type hookFacts struct {
	Name string `json:"name"`
	// Bundle is the state of caBundle: empty, set (the Spec names no Secret to compare it with),
	// equal to the Secret's CA, or different from it.
	Bundle string `json:"bundle"`
	// Target is namespace/service:port; empty for a URL.
	Target string `json:"target,omitempty"`
	// Covers is true if the API server calls the webhook when an object of Accept's kind is
	// created.
	Covers bool `json:"covers,omitempty"`
	// Ignore is true if the API server continues without the webhook's answer (failurePolicy
	// Ignore).
	Ignore bool `json:"ignore,omitempty"`
}

// probeFacts describes the latest dry runs through one API server.
type probeFacts struct {
	Server string `json:"server"`
	Accept answer `json:"accept"`
	// Unfilled are the Spec's AcceptFills that had no value in the accepted object.
	Unfilled []string `json:"unfilled,omitempty"`
	// Deny is empty if the Spec has none, or if Accept has not passed.
	Deny answer `json:"deny,omitzero"`
	// Passes is the number of passes in a row since the configuration last changed, up to
	// passesNeeded.
	Passes int `json:"passes,omitempty"`
	// Seconds is the number of seconds for which the answers have been of the same kind.
	Seconds int `json:"seconds,omitempty"`
}

// judgeWebhook judges whether the webhook serves. Only the dry runs prove that. Separate checks
// judge the webhook's configurations and endpoints, and explain why a dry run fails.
func judgeWebhook(spec Spec, facts webhookFacts) []health.Verdict {
	existence := []string{configurationCheck(spec), endpointsCheck(spec)}
	if facts.Fault != nil {
		return facts.FaultVerdicts(existence[0], existence[1])
	}
	configurations := judgeConfigurations(spec, facts)
	verdicts := slices.Clone(configurations)
	if len(configurations) > 1 {
		existence = append(existence, configurations[1].Check)
	}
	endpoints := judgeEndpoints(spec, facts.Endpoints)
	for _, workload := range facts.Workloads {
		v := kube.JudgeWorkload(workload)
		verdicts = append(verdicts, v)
		endpoints.After = append(endpoints.After, v.Check)
	}
	stable := !slices.ContainsFunc(verdicts,
		func(v health.Verdict) bool { return v.State == health.Waiting })
	verdicts = append(verdicts, endpoints)
	verdicts = append(verdicts, rights.Judge(facts.Rights)...)
	for _, probe := range facts.Probes {
		v := judgeForeign(judgeProbe(spec, probe), facts, probe)
		if v.State == health.Stuck && !stable {
			// Until the configuration is complete, the API server may not call the webhook. During
			// a rollout, a Pod of the old revision may answer. So a refusal proves nothing.
			v.State = health.Waiting
		}
		if probe.strange() && (!probe.clusterName() ||
			slices.ContainsFunc(facts.Probes, func(p probeFacts) bool { return !p.strange() })) {
			v.State = health.Waiting
			v.Cause = strangerCause
			v.Hint = probeHint(spec, answerUnreachable)
		}
		v.Check, v.After = "webhook through "+probe.Server, existence
		verdicts = append(verdicts, v)
	}
	return append(verdicts, judgeHosts(spec, facts.Hosts, existence)...)
}

func configurationCheck(spec Spec) string {
	return "webhook configuration " + spec.Configuration
}

func endpointsCheck(spec Spec) string {
	return "webhook endpoints " + spec.Namespace + "/" + spec.Service
}

func judgeEndpoints(spec Spec, e kube.EndpointFacts) health.Verdict {
	v := health.Verdict{Check: endpointsCheck(spec), State: health.Ready}
	if len(e.Ready) == 0 {
		v.State = health.Waiting
		v.Message = fmt.Sprintf("no ready address, %d not ready", len(e.NotReady))
		v.Hint = "kubectl -n " + spec.Namespace +
			" get endpointslices -l kubernetes.io/service-name=" + spec.Service
	}
	return v
}
