//go:build bench

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"strata/cli/timeline"
	"strata/tests/bench"
)

const (
	// proxyRaces is the number of races against the webhook.
	proxyRaces = 20
	// apisixRuns is the number of platforms with APISIX for each kind of validation.
	apisixRuns = 5
)

// TestBenchSerial measures a serial script and Strata, one after the other on equal
// new hosts (`make bench-serial`). Both install APISIX and its demo. tests/bench/serial describes
// the comparison.
func TestBenchSerial(t *testing.T) {
	for _, c := range []struct{ name, validate, from string }{
		{"full", "full", bundle},
		{"skip", "skip", bundle},
		{"zero", "full", filepath.Join(filepath.Dir(bundle), "bundle-zero-delays")},
	} {
		t.Run(c.name, func(t *testing.T) {
			artifacts := withImages(t, c.from)
			var strata, script sample
			t.Run("strata", func(t *testing.T) { strata = byStrata(t, artifacts, c.validate) })
			t.Run("script", func(t *testing.T) {
				script = byScript(t, artifacts, c.validate,
					strata.export)
			})
			require.False(t, t.Failed())
			results := []bench.Result{
				bench.Least("serial_ratio/"+c.name, "ratio", 0.5, 2,
					[]float64{script.took.Seconds() / strata.took.Seconds()}),
				bench.Most("serial_strata/"+c.name, "s", 0.5, 0, []float64{strata.took.Seconds()}),
				bench.Most("serial_script/"+c.name, "s", 0.5, 0, []float64{script.took.Seconds()}),
			}
			if c.name == "full" {
				results = append(results, strata.waves()...)
			}
			write(t, results)
		})
	}
}

// TestBenchAPISIX measures an update from bare hosts to a platform with APISIX,
// with each kind of validation in turn.
func TestBenchAPISIX(t *testing.T) {
	took := map[string][]float64{}
	for range apisixRuns {
		for _, validate := range []string{"full", "skip"} {
			t.Run(validate, func(t *testing.T) {
				hosts := existingHosts(t, "e2eo", serialNetwork, serialNodes...)
				s := newStack(t, "e2e-apisix-total", withAPISIX(hosts, validate, serialNodes...))
				up, _ := s.recordedUp()
				took[validate] = append(took[validate], up.Seconds())
			})
		}
	}
	require.False(t, t.Failed())
	write(t, []bench.Result{
		bench.Most("apisix_total/full", "s", 0.5, 240, took["full"]),
		bench.Most("apisix_total/skip", "s", 0.5, 150, took["skip"]),
	})
}

// TestBenchProxyRace creates a GatewayProxy before its webhook serves, 20 times. The
// script must fail each time, and Strata never.
func TestBenchProxyRace(t *testing.T) {
	hosts := existingHosts(t, "e2eo", serialNetwork, serialNodes...)
	s := newStack(t, "e2e-proxy-race", withAPISIX(hosts, "skip", serialNodes...))
	s.step("APISIX is installed", func(*testing.T) { s.must(s.up()) })
	export := s.exported()
	s.step("APISIX is removed", func(*testing.T) {
		s.configure(withoutAPISIX(hosts, serialNodes...))
		s.must(s.up())
	})
	s.step("the script loses each race", func(t *testing.T) {
		gaps := s.losesTheProxyRace(t, export, proxyRaces, false)
		write(t, []bench.Result{bench.Most("webhook_gap", "s", 0.5, 0, gaps)})
	})
}

var (
	serialNetwork = network{"sts0", "10.26.0"}
	serialNodes   = []node{{"server-1", "server", 11}}
)

// sample has the measurements of one side of the comparison: Strata or the script.
type sample struct {
	began  time.Time
	took   time.Duration
	run    timeline.Run // Strata's
	export []byte       // of Strata's stack
}

// readyCluster creates the cluster with which both sides start. It has K3s, MetalLB and its pool,
// and nothing else.
func readyCluster(t *testing.T, name, artifacts string) (*hostSet, *stack) {
	hosts := existingHosts(t, "e2eo", serialNetwork, serialNodes...)
	s := newStack(t, name, map[string]any{
		"hosts":       hosts.hosts(serialNodes...),
		"metallb":     map[string]any{"addresses": []any{hosts.net.pool()}},
		"certManager": map[string]any{"enabled": false},
	})
	s.env = append(s.env, "STRATA_ARTIFACTS="+artifacts)
	s.must(s.up())
	return hosts, s
}

func byStrata(t *testing.T, artifacts, validate string) sample {
	hosts, s := readyCluster(t, "e2e-serial", artifacts)
	s.configure(withAPISIX(hosts, validate, serialNodes...))
	made := sample{began: time.Now()}
	made.took, made.run = s.recordedUp()
	made.export = s.exported()
	t.Log(s.must(s.run(strata, "timeline", filepath.Join(s.dir, "up.jsonl"))).output)
	return made
}

func byScript(t *testing.T, artifacts, validate string, export []byte) sample {
	_, s := readyCluster(t, "e2e-serial-script", artifacts)
	script := s.serially(t, export)
	args := []string{"run"}
	if validate == "full" {
		args = []string{"--validate", "run"}
	}
	r := s.must(script.does(args...))
	t.Log(r.output)
	return sample{took: r.took}
}

// waves returns the durations of three phases of Strata's run: until the infrastructure is
// complete, until the last manifest is applied, and until the end.
func (s sample) waves() []bench.Result {
	first, second := s.began, s.began
	for _, bar := range s.run.Bars {
		infrastructure := slices.ContainsFunc([]string{"cert-manager", "crds", "apisix-webhook",
			"apisix-controller-release", "apisix-release"},
			func(prefix string) bool { return strings.HasPrefix(bar.Name, prefix) })
		switch {
		case bar.Op == "same":
		case infrastructure && bar.End.After(first):
			first = bar.End
		case !infrastructure && strings.HasPrefix(bar.Type, "kubernetes:") && bar.End.After(second):
			second = bar.End
		}
	}
	if second.Before(first) {
		second = first
	}
	wave := func(name string, took time.Duration) bench.Result {
		return bench.Most(name, "s", 0.5, 0, []float64{took.Seconds()})
	}
	return []bench.Result{
		wave("wave1_s", first.Sub(s.began)), wave("wave2_s", second.Sub(first)),
		wave("wave3_s", s.began.Add(s.took).Sub(second)),
	}
}

// withImages returns a bundle whose images of APISIX and cert-manager go to every node, even if a
// stack does not need them. So neither side's time includes the import of images.
func withImages(t *testing.T, from string) string {
	other := filepath.Join(t.TempDir(), "bundle")
	s := &stack{t: t}
	s.must(s.run("cp", "-al", from, other))
	manifest := filepath.Join(other, "manifest.json")
	text, err := os.ReadFile(manifest)
	require.NoError(t, err)
	var content map[string]any
	require.NoError(t, json.Unmarshal(text, &content))
	given := 0
	for _, entry := range content["artifacts"].([]any) {
		entry := entry.(map[string]any)
		if chart := entry["for"]; chart == "apisix-chart" || chart == "cert-manager-chart" {
			delete(entry, "for")
			given++
		}
	}
	require.NotZero(t, given)
	text, err = json.Marshal(content)
	require.NoError(t, err)
	require.NoError(t, os.Remove(manifest), "it is a link to the bundle's own")
	require.NoError(t, os.WriteFile(manifest, text, 0o600))
	return other
}

// write merges results into the file at once, so that a later failure does not lose them.
func write(t *testing.T, results []bench.Result) {
	require.NoError(t, bench.Merge(filepath.Join(root, "bench/results.json"), results))
	for _, r := range results {
		t.Logf("%-24s %s %s", r.Name, format(r.Value), r.Unit)
	}
}
