package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// losesTheRace runs the program in the folder race, which has no gate, against the stack's cluster, and takes it away again.
func (s *stack) losesTheRace(t *testing.T) {
	charts, err := filepath.Glob(filepath.Join(bundle, "charts/metallb-*.tgz"))
	require.NoError(t, err)
	require.Len(t, charts, 1)
	program := filepath.Join(root, "tests/e2e/race")
	race := &stack{t: t, name: "race", dir: t.TempDir(), env: append(s.env[:len(s.env):len(s.env)],
		"RACE_CHART="+charts[0], "RACE_KUBECONFIG="+s.output("kubeconfig"))}
	project, err := os.ReadFile(filepath.Join(program, "Pulumi.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(race.dir, "Pulumi.yaml"), project, 0o600))
	race.must(race.run("pulumi", "-C", race.dir, "stack", "init", race.name))
	pulumi := func(verb string) result {
		return race.runIn(program, "pulumi", verb, "--yes", "--skip-preview", "--non-interactive",
			"--stack", race.name, "--config-file", filepath.Join(race.dir, "Pulumi.race.yaml"))
	}
	r := pulumi("up")
	require.Error(t, r.err, "%s", r.output)
	assert.Contains(t, r.output, "ipaddresspoolvalidationwebhook.metallb.io", "the webhook is what refused")
	assert.Regexp(t, "connection refused|no endpoints available|unknown authority", r.output)
	race.must(pulumi("destroy"))
}
