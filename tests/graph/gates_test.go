package graph_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/health"
	"strata/health/kinds"
	"strata/platform"
	"strata/tests/pulumitest"
)

// handed returns the configuration that Pulumi passes to the program, with the test's changes.
func (p *program) handed(t *testing.T) *config.Config {
	t.Helper()
	sections := map[string]string{}
	for key, value := range given(t) {
		sections[strings.TrimPrefix(key, config.Namespace+":")] = value
	}
	cfg, err := config.Load(p.stack, sections, os.Getenv)
	require.NoError(t, err)
	return cfg
}

// foretell returns the layer, name and kind of each gate that the configuration requires.
func (p *program) foretell(t *testing.T) []string {
	t.Helper()
	specs, err := platform.Gates(t.Context(), p.handed(t))
	require.NoError(t, err)
	var lines []string
	for _, spec := range specs {
		lines = append(lines, described(spec))
	}
	return lines
}

func described(spec health.Spec) string {
	return spec.Layer + " " + spec.Gate + " " + string(spec.Kind())
}

// gatesAreForetold checks that `strata health` derives exactly the gates of a run from the
// configuration alone. Every call of graph runs this check, with any configuration.
func (p *program) gatesAreForetold(t *testing.T, g graph) {
	t.Helper()
	handed := os.Getenv(pulumi.EnvConfig)
	if p.foretold == handed {
		return // this configuration was checked before
	}
	p.foretold = handed
	var made []string
	for _, name := range g.where(func(r pulumitest.Resource) bool {
		return r.Text("create") == pulumitest.GateCommand
	}) {
		spec, err := kinds.Parse([]byte(g[name].Text("stdin")))
		require.NoError(t, err, name)
		require.Equal(t, name, spec.Gate)
		made = append(made, described(spec))
	}
	assert.ElementsMatch(t, made, p.foretell(t))
}

// `strata health` needs only the stack file to list the gates: no bundle, key, kubeconfig, manifest
// or home directory.
func TestConfiguredGatesNeedAndWriteNoFiles(t *testing.T) {
	for _, stack := range stacks(t) {
		t.Run(stack, func(t *testing.T) {
			p := newProgram(t, stack)
			p.set(t, "apps", map[string]any{"manifests": []string{"not-there.yaml"}})
			cfg := p.handed(t)
			empty := t.TempDir()
			t.Chdir(empty)
			t.Setenv("HOME", empty)
			t.Setenv(config.ArtifactsVariable, "/nonexistent")
			started := time.Now()
			specs, err := platform.Gates(t.Context(), cfg)
			require.NoError(t, err)
			assert.Less(t, time.Since(started), 5*time.Second,
				"a look at the health of a stack starts with it")
			assert.Greater(t, len(specs), 15)
			left, err := os.ReadDir(empty)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

// `strata health` lists gates in this order, which must be the order of a run.
func TestConfiguredGatesAreInProgramOrder(t *testing.T) {
	p := newProgram(t, "local")
	first := p.foretell(t)
	for range 10 {
		require.Equal(t, first, p.foretell(t))
	}
	assert.Contains(t, first[0], "hosts-server-1-gate")
}

func TestRBACRulesOfEveryReleaseAreChecked(t *testing.T) {
	g := newProgram(t, "local").with(t, nil)
	var asked, made []string
	for name := range g {
		switch {
		case g[name].Text("create") == pulumitest.GateCommand:
			spec, err := kinds.Parse([]byte(g[name].Text("stdin")))
			require.NoError(t, err)
			asked = append(asked, spec.Releases...)
		case g[name].Type == "kubernetes:helm.sh/v3:Release":
			made = append(made, g[name].Text("namespace")+"/"+g[name].Text("name"))
		}
	}
	assert.ElementsMatch(t, made, asked)
}
