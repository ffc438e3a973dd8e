package api

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/cert"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

// apiInterval is the time between two rounds over the API servers: /readyz cannot be watched, and a
// request costs a server about a millisecond.
const apiInterval = 100 * time.Millisecond

// apiFacts is one round over the API servers.
type apiFacts struct {
	Servers []kube.APIServerFacts `json:"servers"`
}

// judgeAPI says of each API server whether it serves. All of them have to: Pods and people reach
// any of them.
func judgeAPI(facts apiFacts) []health.Verdict {
	verdicts := make([]health.Verdict, 0, len(facts.Servers))
	for _, server := range facts.Servers {
		verdicts = append(verdicts, JudgeAPIServer(server))
	}
	return verdicts
}

// JudgeAPIServer says whether one API server is ready.
func JudgeAPIServer(f kube.APIServerFacts) health.Verdict {
	check := "api " + f.Server
	if f.Fault != nil {
		return f.Fault.Verdict(check, f.Seconds >= observe.StartupSeconds)
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
	v.Hint = "on each server: systemctl status k3s, and start K3s where it does not run; check that the servers reach each other on TCP 2379 and 2380; " + v.Hint
	return v
}

// noLeader explains an etcd that does not serve.
const noLeader = ": etcd starts, or has no leader because fewer than most of the servers run and reach each other"

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
	cluster *kube.Cluster
	stable  *observe.Stable
	// ends is the end of the kubeconfig's client certificate; zero if it has none.
	ends time.Time
}

// NewWatch implements health.Body.
func (Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	all, err := kube.ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	return &apiWatch{cluster: all, stable: observe.NewStable(time.Now), ends: endOf(secrets.Kubeconfig)}, nil
}

// Run implements Watch.
func (w *apiWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	observe.Repeat(ctx, nil, apiInterval, func(ctx context.Context) []health.Verdict { return dated(judgeAPI(w.observe(ctx)), w.ends, time.Now()) }, report)
	return nil
}

// dated says when the kubeconfig's certificate ends. One that has ended is why servers reject it.
func dated(verdicts []health.Verdict, ends, now time.Time) []health.Verdict {
	for i := range verdicts {
		if v := &verdicts[i]; !ends.IsZero() {
			v.Ends = &ends
			if !v.Passes() && now.After(ends) {
				v.Cause = "the kubeconfig's client certificate ended at " + ends.Format(time.RFC3339)
				v.Hint = "pulumi up issues another one (strata:k3s.clientCertificateLifetime); an existing cluster's is renewed by its owner"
			}
		}
	}
	return verdicts
}

// observe asks every server at the same time, so that all are Ready only when all were so in one
// round.
func (w *apiWatch) observe(ctx context.Context) apiFacts {
	facts := apiFacts{Servers: make([]kube.APIServerFacts, len(w.cluster.Servers))}
	var round sync.WaitGroup
	for i, server := range w.cluster.Servers {
		round.Go(func() { facts.Servers[i] = server.Readyz(ctx) })
	}
	round.Wait()
	for i := range facts.Servers {
		one := &facts.Servers[i]
		if one.Fault == nil {
			w.stable.Forget(one.Server)
			continue
		}
		one.Seconds = w.stable.Seconds(one.Server, string(one.Fault.Kind))
	}
	return facts
}

// endOf returns the end of a kubeconfig's client certificate; zero if it has none.
func endOf(kubeconfig []byte) time.Time {
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return time.Time{}
	}
	certificates, err := cert.ParseCertsPEM(config.CertData)
	if err != nil {
		return time.Time{}
	}
	return certificates[0].NotAfter.UTC()
}
