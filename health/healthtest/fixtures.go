package healthtest

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"strata/health"
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
	// Class sorts the cases: ready, waiting, stuck, skipped, or a trap that other gates fall into:
	// false-pass (must not open), false-fail (must open), give-up (must not be stuck).
	Class string           `json:"class"`
	Spec  *S               `json:"spec,omitempty"`
	Facts F                `json:"facts"`
	Want  []health.Verdict `json:"want"`
}

// RunFixtures judges every case of testdata/NAME.yaml, and holds that each class has one.
func RunFixtures[S, F any](t *testing.T, name string, judge func(S, F) []health.Verdict) {
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

// assertClass holds the verdicts against the case's purpose, so that -update-verdicts cannot bless
// a gate that lies.
func assertClass(t *testing.T, class string, verdicts []health.Verdict) {
	t.Helper()
	require.NotEmpty(t, verdicts)
	state := health.StateOf(verdicts)
	want := map[string][]health.State{
		"ready": {health.Ready}, "skipped": {health.Ready, health.Skipped}, "waiting": {health.Waiting}, "stuck": {health.Stuck},
		"false-pass": {health.Waiting, health.Stuck}, "false-fail": {health.Ready}, "give-up": {health.Waiting},
	}[class]
	require.NotEmptyf(t, want, "class %q is not known", class)
	assert.Containsf(t, want, state, "a case of class %s", class)
	if class == "skipped" {
		assert.True(t, slices.ContainsFunc(verdicts, func(v health.Verdict) bool { return v.State == health.Skipped && v.Message != "" }), "a skip says why")
	}
	for _, v := range verdicts {
		assert.NotEmpty(t, v.Check)
		if !v.Passes() {
			assert.NotEmptyf(t, v.Message, "%s fails without saying why", v.Check)
		}
	}
}
