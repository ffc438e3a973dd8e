package health

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"strata/internal/credential"
)

// apiInterval is the time between two rounds over the API servers: /readyz cannot be watched, and a request costs a server about a
// millisecond.
const apiInterval = 100 * time.Millisecond

// startupSeconds is how long an answer that waiting cannot change must stand before it is believed: while K3s starts, an earlier process
// may still hold the port, or certificates may be about to be replaced.
const startupSeconds = 10

// apiFacts is one round over the API servers.
type apiFacts struct {
	Servers []apiServerFacts `json:"servers"`
}

// apiServerFacts is one authenticated GET /readyz?verbose.
type apiServerFacts struct {
	Server string `json:"server"`
	// Code is the HTTP status; zero when there was no answer.
	Code int `json:"code,omitempty"`
	// Passed is true when the answer ends as only a passing readyz does.
	Passed bool `json:"passed,omitempty"`
	// Failing are the lines of the readyz checks that failed.
	Failing []string `json:"failing,omitempty"`
	Fault   *fault   `json:"fault,omitempty"`
	// Seconds is for how long the same fault has stood.
	Seconds int `json:"seconds,omitempty"`
}

// judgeAPI says of each API server whether it serves. All of them have to: Pods and people reach any of them.
func judgeAPI(facts apiFacts) []Verdict {
	verdicts := make([]Verdict, 0, len(facts.Servers))
	for _, server := range facts.Servers {
		verdicts = append(verdicts, judgeAPIServer(server))
	}
	return verdicts
}

func judgeAPIServer(f apiServerFacts) Verdict {
	check := "api " + f.Server
	if f.Fault != nil {
		return f.Fault.verdict(check, f.Seconds >= startupSeconds)
	}
	if f.Code == 200 && f.Passed && len(f.Failing) == 0 {
		return Verdict{Check: check, State: Ready}
	}
	v := Verdict{
		Check: check, State: Waiting, Evidence: f.Failing,
		Message: fmt.Sprintf("/readyz answered %d, expected 200 and %q", f.Code, readyzPassed),
		Hint:    "kubectl get --raw '/readyz?verbose' --server https://" + f.Server,
	}
	if len(f.Failing) > 0 {
		v.Message += ": " + strings.Join(readyzNames(f.Failing), ", ") + " not ready"
	}
	return v
}

// readyzNames are the names of the failing checks: "[-]etcd failed: reason withheld" is etcd.
func readyzNames(lines []string) []string {
	names := make([]string, 0, len(lines))
	for _, line := range lines {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "[-]"), " ")
		names = append(names, name)
	}
	return names
}

type apiWatch struct {
	cluster *cluster
	settled *settled
	// ends is when the kubeconfig's client certificate does; zero where it has none.
	ends time.Time
}

func newAPI(spec Spec, secrets Secrets) (Watch, error) {
	all, err := newClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	return &apiWatch{cluster: all, settled: newSettled(time.Now), ends: credential.Ends(secrets.Kubeconfig)}, nil
}

// Run implements Watch.
func (w *apiWatch) Run(ctx context.Context, report func([]Verdict)) error {
	looks(ctx, nil, apiInterval, func(ctx context.Context) []Verdict { return dated(judgeAPI(w.look(ctx)), w.ends, time.Now()) }, report)
	return nil
}

// dated says when the kubeconfig's certificate ends. One that has ended is why servers reject it.
func dated(verdicts []Verdict, ends, now time.Time) []Verdict {
	for i := range verdicts {
		if v := &verdicts[i]; !ends.IsZero() {
			v.Ends = &ends
			if !v.Passes() && now.After(ends) {
				v.Cause = "the kubeconfig's client certificate ended at " + ends.Format(time.RFC3339)
				v.Hint = "pulumi up issues another one (strata:k3s.clientCertificateLifetime); a lent cluster's is its owner's"
			}
		}
	}
	return verdicts
}

// look asks every server at the same time, so that all are Ready only when all were so in one round.
func (w *apiWatch) look(ctx context.Context) apiFacts {
	facts := apiFacts{Servers: make([]apiServerFacts, len(w.cluster.servers))}
	var round sync.WaitGroup
	for i, server := range w.cluster.servers {
		round.Go(func() { facts.Servers[i] = server.readyz(ctx) })
	}
	round.Wait()
	for i := range facts.Servers {
		one := &facts.Servers[i]
		if one.Fault == nil {
			w.settled.forget(one.Server)
			continue
		}
		one.Seconds = w.settled.seconds(one.Server, string(one.Fault.Kind))
	}
	return facts
}
