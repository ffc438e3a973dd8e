package e2e

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// races are what the program in the folder race does without a gate, and what comes of it.
var races = []struct{ name, chart, refusedBy, because string }{
	{"pool", "metallb", "ipaddresspoolvalidationwebhook.metallb.io", "connection refused|no endpoints available|unknown authority"},
	{"issuer", "cert-manager", "webhook.cert-manager.io", "connection refused|no endpoints available|unknown authority"},
	{"certificate", "", "cert-manager.io/v1", "no matches for kind|could not find the requested resource|not found"},
}

// losesEachRace runs the program without a gate against the stack's cluster, and takes each away again.
func (s *stack) losesEachRace(t *testing.T) {
	for _, race := range races {
		t.Run(race.name, func(t *testing.T) { s.loses(t, race.name, race.chart, race.refusedBy, race.because) })
	}
}

func (s *stack) loses(t *testing.T, name, chart, refusedBy, because string) {
	env := append(s.env[:len(s.env):len(s.env)], "RACE_CASE="+name, "RACE_KUBECONFIG="+s.output("kubeconfig"))
	if chart != "" {
		charts, err := filepath.Glob(filepath.Join(bundle, "charts/"+chart+"-*.tgz"))
		require.NoError(t, err)
		require.Len(t, charts, 1)
		env = append(env, "RACE_CHART="+charts[0])
	}
	program := filepath.Join(root, "tests/e2e/race")
	race := &stack{t: t, name: "race-" + name, dir: t.TempDir(), env: env}
	project, err := os.ReadFile(filepath.Join(program, "Pulumi.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(race.dir, "Pulumi.yaml"), project, 0o600))
	race.must(race.run("pulumi", "-C", race.dir, "stack", "init", race.name))
	pulumi := func(verb string) result {
		return race.runIn(program, "pulumi", verb, "--yes", "--skip-preview", "--non-interactive",
			"--stack", race.name, "--config-file", filepath.Join(race.dir, "Pulumi."+race.name+".yaml"))
	}
	r := pulumi("up")
	require.Error(t, r.err, "%s", r.output)
	assert.Contains(t, r.output, refusedBy, "it is refused by what is not ready")
	assert.Regexp(t, because, r.output)
	race.must(pulumi("destroy"))
	s.definitionsGone(t)
}

// definitionsGone waits until no custom resource definition is on its way out: an object of a kind that is leaving is refused
// for that reason, and not for the race's.
func (s *stack) definitionsGone(t *testing.T) {
	t.Helper()
	definitions := s.client().RESTClient().Get().AbsPath("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		all, err := definitions.DoRaw(context.Background())
		require.NoError(c, err)
		require.NotContains(c, string(all), `"deletionTimestamp"`)
	}, time.Minute, 200*time.Millisecond)
}
