package healthtest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	strict "sigs.k8s.io/yaml"

	"strata/health"
)

var update = flag.Bool("update-verdicts", false,
	"write the verdicts that the fixtures' facts give now; review the difference")

// RunFixtures judges every case of testdata/NAME.yaml, and fails if a class has no case.
func RunFixtures[S, F any](t *testing.T, name string, judge func(S, F) []health.Verdict) {
	t.Helper()
	path := filepath.Join("testdata", name+".yaml")
	cases, whole := readCases(t, path)
	classes := map[string]int{}
	for i := range whole {
		one := &whole[i]
		class, sentence := cases.Cases[i].class()
		classes[class]++
		found := judge(decoded[S](t, sentence, one.spec), decoded[F](t, sentence, one.facts))
		if *update {
			one.want = plain(t, found)
		}
		t.Run(sentence, func(t *testing.T) {
			want := decoded[[]health.Verdict](t, sentence, one.want)
			assert.Equal(t, want, found)
			assertClass(t, class, want)
		})
	}
	for _, class := range []string{"ready", "waiting", "stuck", "false-pass", "false-fail"} {
		assert.NotZerof(t, classes[class], "%s has no case of class %s", path, class)
	}
	if *update {
		cases.rewrite(whole)
		text, err := cases.text()
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, text, 0o600))
	}
}

func readCases(t *testing.T, path string) (*file, []expanded) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	cases := &file{}
	require.NoError(t, decoder.Decode(cases), path)
	whole, err := cases.expand()
	require.NoError(t, err, path)
	return cases, whole
}

// decoded parses a part of a case. An unknown key fails the test.
func decoded[T any](t *testing.T, sentence string, part any) T {
	t.Helper()
	text, err := json.Marshal(part)
	require.NoError(t, err, sentence)
	var value T
	require.NoError(t, strict.UnmarshalStrict(text, &value), sentence)
	return value
}

// assertClass compares the verdicts with the case's class, so that -update-verdicts cannot accept
// wrong verdicts.
func assertClass(t *testing.T, class string, verdicts []health.Verdict) {
	t.Helper()
	require.NotEmpty(t, verdicts)
	state := health.StateOf(verdicts)
	want := map[string][]health.State{
		"ready": {health.Ready}, "skipped": {health.Ready, health.Skipped},
		"waiting": {health.Waiting}, "stuck": {health.Stuck},
		"false-pass": {health.Waiting, health.Stuck}, "false-fail": {health.Ready},
		"give-up": {health.Waiting},
	}[class]
	require.NotEmptyf(t, want, "class %q is not known", class)
	assert.Containsf(t, want, state, "a case of class %s", class)
	if class == "skipped" {
		assert.True(t, slices.ContainsFunc(verdicts,
			func(v health.Verdict) bool { return v.State == health.Skipped && v.Message != "" }),
			"a skip says why")
	}
	for _, v := range verdicts {
		assert.NotEmpty(t, v.Check)
		if !v.Passes() {
			assert.NotEmptyf(t, v.Message, "%s fails without saying why", v.Check)
		}
	}
}
