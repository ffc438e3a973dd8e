package api

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"strata/health"
	"strata/health/kube"
)

// apiFacts has the answers of all API servers in one observation.
type apiFacts struct {
	Servers []kube.APIServerFacts `json:"servers"`
}

// judgeAPI judges each API server. All must be Ready, because Pods and users may reach any of them.
func judgeAPI(facts apiFacts) []health.Verdict {
	verdicts := make([]health.Verdict, 0, len(facts.Servers))
	for _, server := range facts.Servers {
		verdicts = append(verdicts, JudgeAPIServer(server))
	}
	return verdicts
}

// JudgeAPIServer judges whether one API server is ready.
func JudgeAPIServer(f kube.APIServerFacts) health.Verdict {
	check := "api " + f.Server
	if f.Fault != nil {
		return f.FaultVerdict(check)
	}
	if f.Code == 200 && f.Passed && len(f.Failing) == 0 {
		return health.Verdict{Check: check, State: health.Ready}
	}
	v := health.Verdict{
		Check: check, State: health.Waiting, Evidence: f.Failing,
		Message: fmt.Sprintf("/readyz answered %d, expected 200 and %q", f.Code, kube.ReadyzPassed),
		Hint:    "kubectl get --raw '/readyz?verbose' --server https://" + f.Server,
	}
	names := readyzNames(f.Failing)
	if len(names) > 0 {
		v.Message += ": " + strings.Join(names, ", ") + " not ready"
	}
	switch {
	case slices.Contains(names, "etcd"):
		v.Cause = "its etcd does not serve" + noLeader
	case f.NotStarted:
		v.Message += ": K3s has not started the API server"
		v.Cause = "it waits for etcd" + noLeader
	default:
		return v
	}
	v.Hint = "on each server: systemctl status k3s, and start K3s where it does not run; check " +
		"that the servers reach each other on TCP 2379 and 2380; " + v.Hint
	return v
}

// noLeader is the part of the cause that says why etcd does not serve.
const noLeader = ": etcd starts, or has no leader because fewer than most of the servers run and reach each other"

// readyzNames returns the names of failing checks: etcd for "[-]etcd failed: reason withheld".
func readyzNames(lines []string) []string {
	names := make([]string, 0, len(lines))
	for _, line := range lines {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "[-]"), " ")
		names = append(names, name)
	}
	return names
}

// setCertificateEnd sets Ends in all verdicts to the expiry of the kubeconfig's certificate. In a
// failed verdict, an expired certificate becomes the cause.
func setCertificateEnd(verdicts []health.Verdict, ends, now time.Time) []health.Verdict {
	for i := range verdicts {
		if v := &verdicts[i]; !ends.IsZero() {
			v.Ends = &ends
			if !v.Passes() && now.After(ends) {
				v.Cause = "the kubeconfig's client certificate ended at " +
					ends.Format(time.RFC3339)
				v.Hint = "pulumi up issues another one (strata:k3s.clientCertificateLifetime); " +
					"an existing cluster's is renewed by its owner"
			}
		}
	}
	return verdicts
}
