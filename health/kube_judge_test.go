package health

import (
	"flag"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update-verdicts", false, "write the verdicts that the fixtures' facts give now; review the difference")

// fixtures are the cases of one gate: facts, and the verdicts that they must give, whole.
type fixtures[S, F any] struct {
	// Spec is that of every case without its own.
	Spec  S               `json:"spec"`
	Cases []fixture[S, F] `json:"cases"`
}

type fixture[S, F any] struct {
	// Name is a sentence about the situation.
	Name string `json:"name"`
	// Class is what the case is for: ready, waiting, stuck, skipped, or a trap that other gates fall into: false-pass (must
	// not open), false-fail (must open), give-up (must not be stuck).
	Class string    `json:"class"`
	Spec  *S        `json:"spec,omitempty"`
	Facts F         `json:"facts"`
	Want  []Verdict `json:"want"`
}

func runFixtures[S, F any](t *testing.T, name string, judge func(S, F) []Verdict) {
	t.Helper()
	path := filepath.Join("testdata", name+".yaml")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var all fixtures[S, F]
	require.NoError(t, yaml.UnmarshalStrict(text, &all))
	classes := map[string]int{}
	for i := range all.Cases {
		one := &all.Cases[i]
		classes[one.Class]++
		spec := all.Spec
		if one.Spec != nil {
			spec = *one.Spec
		}
		if *update {
			one.Want = judge(spec, one.Facts)
		}
		t.Run(one.Name, func(t *testing.T) {
			assert.Equal(t, one.Want, judge(spec, one.Facts))
			assertClass(t, one.Class, one.Want)
		})
	}
	for _, class := range []string{"ready", "waiting", "stuck", "false-pass", "false-fail"} {
		assert.NotZerof(t, classes[class], "%s has no case of class %s", path, class)
	}
	if *update {
		text, err := yaml.Marshal(all)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, text, 0o600))
	}
}

// assertClass holds the verdicts against the case's purpose, so that -update-verdicts cannot bless a gate that lies.
func assertClass(t *testing.T, class string, verdicts []Verdict) {
	t.Helper()
	require.NotEmpty(t, verdicts)
	state := sum(verdicts)
	want := map[string][]State{
		"ready": {Ready}, "skipped": {Ready, Skipped}, "waiting": {Waiting}, "stuck": {Stuck},
		"false-pass": {Waiting, Stuck}, "false-fail": {Ready}, "give-up": {Waiting},
	}[class]
	require.NotEmptyf(t, want, "class %q is not known", class)
	assert.Containsf(t, want, state, "a case of class %s", class)
	if class == "skipped" {
		assert.True(t, slices.ContainsFunc(verdicts, func(v Verdict) bool { return v.State == Skipped && v.Message != "" }), "a skip says why")
	}
	for _, v := range verdicts {
		assert.NotEmpty(t, v.Check)
		if !v.Passes() {
			assert.NotEmptyf(t, v.Message, "%s fails without saying why", v.Check)
		}
	}
}

func TestAPIVerdicts(t *testing.T) {
	runFixtures(t, "api", func(_ struct{}, f apiFacts) []Verdict { return judgeAPI(f) })
}

func TestNodesVerdicts(t *testing.T) { runFixtures(t, "nodes", judgeNodes) }

func TestRegisteredNodesVerdicts(t *testing.T) {
	runFixtures(t, "nodes_registered", func(_ struct{}, f nodesFacts) []Verdict { return judgeRegistered(f) })
}

func TestPodNetworkVerdicts(t *testing.T) {
	type spec struct {
		Network  netip.Prefix `json:"network"`
		Expected []Host       `json:"expected"`
	}
	runFixtures(t, "network", func(s spec, f networkFacts) []Verdict {
		return []Verdict{judgePodNetwork(s.Expected[0], s.Network, s.Expected, f)}
	})
}

func TestVaultVerdicts(t *testing.T) { runFixtures(t, "vault", judgeVault) }

func TestSystemVerdicts(t *testing.T) { runFixtures(t, "system", judgeSystem) }

func TestWebhookVerdicts(t *testing.T) { runFixtures(t, "webhook", judgeWebhook) }

func TestPoolVerdicts(t *testing.T) { runFixtures(t, "pool", judgePool) }

func TestWorkloadVerdicts(t *testing.T) {
	runFixtures(t, "workload", func(_ struct{}, f workloadFacts) []Verdict { return []Verdict{judgeWorkload(f)} })
}

// A copy of a kubeconfig that nobody renews dies with its certificate: 401 alone would have people compare users.
func TestACertificateThatEndedIsNamedWhereItIsWhyAServerSaysNo(t *testing.T) {
	ends := time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)
	refused := judgeAPI(apiFacts{Servers: []apiServerFacts{{Server: "10.10.0.11:6443", Seconds: 60, Fault: &fault{Kind: faultUnauthorized, Server: "10.10.0.11:6443"}}}})
	before := dated(slices.Clone(refused), ends, ends.Add(-time.Hour))
	assert.Equal(t, refused[0].Cause, before[0].Cause, "it has not ended, so it is another cluster's")
	assert.Equal(t, ends, *before[0].Ends)
	after := dated(slices.Clone(refused), ends, ends.Add(time.Hour))
	assert.Equal(t, Stuck, after[0].State)
	assert.Equal(t, "the kubeconfig's client certificate ended at 2027-06-01T00:00:00Z", after[0].Cause)
	assert.Contains(t, after[0].Hint, "pulumi up issues another one")
	assert.Nil(t, dated(slices.Clone(refused), time.Time{}, ends)[0].Ends, "a token")
	open := dated(judgeAPI(apiFacts{Servers: []apiServerFacts{{Server: "s", Code: 200, Passed: true}}}), ends, ends.Add(time.Hour))
	assert.Equal(t, Ready, open[0].State, "what a server says counts, not this machine's clock")
}
