package config

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// WorkloadProbes configures the probes of a Pod.
type WorkloadProbes struct {
	// Ready is the path of the readiness and startup probes, which must answer 200 to 399. Default
	// /. Gates also request it through each route that includes this path. They request any other
	// route at its own path, which must not answer 404.
	Ready string `json:"ready,omitempty"`
	// Live is the path of the liveness probe. It must not depend on other services. Default: none,
	// and the probe only connects to the port.
	Live string `json:"live,omitempty"`
	// Startup is the longest time that a Pod may take to start. Default 1m.
	Startup metav1.Duration `json:"startup,omitzero"`
}

// Grace returns the time from the start of a Pod's termination until the Pod is killed: it serves
// during preStop, then finishes its open requests, and exits.
func (w Workload) Grace() time.Duration {
	return max(w.GracePeriod.Duration, w.needs())
}

// needs returns the shortest allowed grace period: preStop plus the longest request plus slack.
func (w Workload) needs() time.Duration {
	return w.PreStop.Duration + w.LongestRequest.Duration + w.Slack.Duration
}

func (w workloadCheck) times() {
	for _, one := range []struct {
		key      string
		d        time.Duration
		from, to time.Duration
	}{
		{"longestRequest", w.w.LongestRequest.Duration, time.Second, longestRequestLimit},
		{"preStop", w.w.PreStop.Duration, time.Second, 5 * time.Minute},
		{"slack", w.w.Slack.Duration, time.Second, 5 * time.Minute},
		{"minReady", w.w.MinReady.Duration, time.Second, 10 * time.Minute},
		{"probes.startup", w.w.Probes.Startup.Duration, time.Second, time.Hour},
	} {
		w.addIf(one.d < one.from || one.d > one.to || one.d%time.Second != 0,
			w.key("%s", one.key), one.d.String(),
			fmt.Sprintf("is not a number of whole seconds from %s to %s", one.from, one.to),
			"Kubernetes counts this in seconds, write for example 15s")
	}
	w.workloadTimeout()
	if given := w.w.GracePeriod.Duration; given != 0 && (given < w.w.needs() || given > 2*time.Hour || given%time.Second != 0) {
		w.add(w.key("gracePeriod"), given.String(),
			fmt.Sprintf("is not a number of whole seconds from %s (preStop %s + longestRequest %s + slack %s) to 2h",
				w.w.needs(), w.w.PreStop.Duration, w.w.LongestRequest.Duration, w.w.Slack.Duration),
			"a Pod would be killed with requests in it; leave the key out")
	}
}

// workloadTimeout checks that timeouts.workload is longer than a Pod's start and its wait for a
// certificate. It does not multiply by the number of Pods, because few Pods take their full time.
func (w workloadCheck) workloadTimeout() {
	limit := w.c.Timeouts.Workload.Duration
	const rule, fix = " timeouts.workload %s, after which an up gives up", "raise timeouts.workload, or lower this"
	if start := w.w.Probes.Startup.Duration; start+w.w.MinReady.Duration > limit {
		w.add(w.key("probes.startup"), start.String(),
			fmt.Sprintf("is with minReady %s longer than"+rule, w.w.MinReady.Duration, limit), fix)
	}
	if c := w.w.Certificate; c != nil && c.Wait.Duration > limit {
		w.add(w.key("certificate.wait"), c.Wait.Duration.String(),
			fmt.Sprintf("is longer than"+rule, limit), fix)
	}
}

func (w workloadCheck) probes() {
	for _, one := range []struct{ key, path string }{{"ready", w.w.Probes.Ready}, {"live", w.w.Probes.Live}} {
		w.addIf(one.path != "" && !strings.HasPrefix(one.path, "/"), w.key("probes.%s", one.key),
			one.path, "is not a path from the root", "write for example /healthz")
	}
}
