package graph_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/platform"
	"strata/tests/pulumitest"
)

// root is the project's root folder.
var root = pulumitest.Root

// stacks returns the stacks with a committed file.
func stacks(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "Pulumi.*.yaml"))
	require.NoError(t, err)
	var names []string
	for _, file := range files {
		name := filepath.Base(file)
		names = append(names, name[len("Pulumi."):len(name)-len(".yaml")])
	}
	require.Contains(t, names, "staging")
	require.Contains(t, names, "local")
	return names
}

// program is a stack whose program can run under mocks.
type program struct {
	stack   string
	cfg     *config.Config
	project *pulumitest.Project
	answers *pulumitest.Answers
	// foretold is the configuration that gatesAreForetold has checked last.
	foretold string
}

// newProgram creates a project folder for the test, with the committed configuration of a stack.
func newProgram(t *testing.T, stack string) *program {
	t.Helper()
	p := &program{stack: stack, project: pulumitest.NewProject(t),
		answers: pulumitest.NewAnswers(t)}
	p.commit(t)
	var err error
	p.cfg, err = config.FromFile(filepath.Join(root, "Pulumi."+stack+".yaml"))
	require.NoError(t, err)
	return p
}

// commit sets the committed configuration, and reverts the test's changes.
func (p *program) commit(t *testing.T) {
	t.Helper()
	handed, err := json.Marshal(pulumitest.Committed(t, p.stack))
	require.NoError(t, err)
	t.Setenv(pulumi.EnvConfig, string(handed))
}

// given returns the sections of the configuration that Pulumi passes to the program.
func given(t *testing.T) map[string]string {
	t.Helper()
	handed := map[string]string{}
	require.NoError(t, json.Unmarshal([]byte(os.Getenv(pulumi.EnvConfig)), &handed))
	return handed
}

// change sets keys of a section.
func (p *program) change(t *testing.T, name string, keys section) {
	t.Helper()
	all := section{}
	if text := given(t)[config.Namespace+":"+name]; text != "" {
		require.NoError(t, json.Unmarshal([]byte(text), &all))
	}
	maps.Copy(all, keys)
	p.set(t, name, all)
}

// set replaces a section of the configuration that Pulumi passes to the program. p.cfg stays
// unchanged.
func (p *program) set(t *testing.T, section string, value any) {
	t.Helper()
	handed := given(t)
	text, err := json.Marshal(value)
	require.NoError(t, err)
	handed[config.Namespace+":"+section] = string(text)
	all, err := json.Marshal(handed)
	require.NoError(t, err)
	t.Setenv(pulumi.EnvConfig, string(all))
}

// run runs the program once. fail, which may be nil, returns the errors of resources.
func (p *program) run(fail func(pulumitest.Resource) error) (graph, error) {
	recorder := &pulumitest.Recorder{Outputs: p.answers.Outputs, Fail: fail}
	err := pulumi.RunErr(platform.Run, pulumi.WithMocks("strata", p.stack, recorder))
	return newGraph(recorder.Resources()), err
}

// graph returns the registrations of a successful run of the program.
func (p *program) graph(t *testing.T) graph {
	t.Helper()
	g, err := p.run(nil)
	require.NoError(t, err)
	require.NotEmpty(t, g)
	p.gatesAreForetold(t, g)
	return g
}

// nodes returns the configured nodes of a role, in order.
func (p *program) nodes(role config.Role) []string {
	var names []string
	for _, node := range p.cfg.Hosts.Nodes {
		if node.Role == role {
			names = append(names, node.Name)
		}
	}
	return names
}
