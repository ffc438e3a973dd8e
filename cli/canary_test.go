package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/cluster/canary"
)

// A renewed kubeconfig makes every command run again. A canary must not repeat then, because it
// would send requests for minutes to a version that it has already tried.
func TestCanaryDoesNotRepeatTriedVersion(t *testing.T) {
	const asked = `{"namespace":"shop","routes":["shop"],"stable":"shop","canary":"shop-canary","path":"/","steps":[10],"hold":"1s","maxFailing":1,"minAnswers":1,"timeout":"2s"`
	t.Setenv("STRATA_KUBECONFIG", "")
	code, _, stderr := invoke(t, asked+"}", "canary")
	require.Equal(t, 2, code, "it asks the cluster")
	require.Contains(t, stderr, "STRATA_KUBECONFIG")

	t.Setenv("PULUMI_COMMAND_STDOUT", triedBefore(t, asked+"}")+"\n")
	code, stdout, stderr := invoke(t, asked+"}", "canary")
	require.Equal(t, 0, code, stderr)
	assert.Equal(t, triedBefore(t, asked+"}"), strings.TrimSpace(stdout), "for the next time")
	code, _, _ = invoke(t, asked+`,"revision":"another"}`, "canary")
	assert.Equal(t, 2, code, "another version is tried")
	t.Setenv("STRATA_ATTEMPT", "a word that was drawn anew")
	code, _, _ = invoke(t, asked+"}", "canary")
	assert.Equal(t, 2, code, "one that was taken back gives back the weight that it left")
}

// triedBefore returns the output of an earlier canary with the input stdin.
func triedBefore(t *testing.T, stdin string) string {
	var spec canary.Spec
	require.NoError(t, json.Unmarshal([]byte(stdin), &spec))
	tried, err := spec.Attempt("")
	require.NoError(t, err)
	return tried
}
