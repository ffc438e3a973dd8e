package charts_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/cluster/crds"
	"strata/artifacts"
	"strata/config"
	"strata/health"
	"strata/health/kinds"
	"strata/platform"
	"strata/tests/pulumitest"
)

// program holds the releases, gates and objects that the program registers with the available
// charts.
type program struct {
	releases []*release
	gates    []health.Spec
	// objects are the objects that the program registers, definitions those of the CRD bundles that
	// it applies.
	objects, definitions []object
	// warnings are the program's messages to the user.
	warnings []string
}

// newProgram runs the program with the committed stack staging, with the sections of some keys
// replaced.
func newProgram(t *testing.T, keys map[string]any) *program {
	t.Helper()
	p, err := runProgram(t, keys)
	require.NoError(t, err)
	return p
}

// runProgram is newProgram for a configuration that the program may refuse.
func runProgram(t *testing.T, keys map[string]any) (*program, error) {
	t.Helper()
	project, answers := pulumitest.NewProject(t), pulumitest.NewAnswers(t)
	manifest := fillBundle(t, project.Bundle)
	t.Setenv(pulumi.EnvConfig, configuration(t, keys))
	p := &program{}
	recorder := &pulumitest.Recorder{Outputs: func(r pulumitest.Resource) resource.PropertyMap {
		outputs := answers.Outputs(r)
		if strings.HasSuffix(r.Text("create"), " crds apply") {
			outputs["stdout"] = resource.NewProperty(strings.Join(definitions(t, r).Names(), "\n"))
		}
		return outputs
	}}
	warn := func(_ *pulumi.Context, message string) error {
		p.warnings = append(p.warnings, message)
		return nil
	}
	if err := pulumi.RunErr(platform.Program{Warn: warn}.Run,
		pulumi.WithMocks("strata", "staging", recorder)); err != nil {
		assert.Empty(t, recorder.Resources(), "it is refused before the first resource")
		return nil, err
	}
	for _, r := range recorder.Resources() {
		p.add(t, r, manifest)
	}
	return p, nil
}

// configuration returns the configuration that Pulumi passes to the program.
func configuration(t *testing.T, keys map[string]any) string {
	t.Helper()
	handed := pulumitest.Committed(t, "staging")
	for section, value := range pulumitest.Sections(t, keys) {
		text, err := json.Marshal(value)
		require.NoError(t, err)
		handed[config.Namespace+":"+section] = string(text)
	}
	all, err := json.Marshal(handed)
	require.NoError(t, err)
	return string(all)
}

// definitions returns the bundle of CRDs that a command applies.
func definitions(t *testing.T, r pulumitest.Resource) *crds.Bundle {
	t.Helper()
	var input struct{ Name, Version, File string }
	require.NoError(t, json.Unmarshal([]byte(r.Text("stdin")), &input))
	text, err := os.ReadFile(input.File)
	require.NoError(t, err)
	applied, err := crds.Parse(input.Name, input.Version, text)
	require.NoError(t, err)
	return applied
}

// add adds the release, the gate or the objects of a resource.
func (p *program) add(t *testing.T, r pulumitest.Resource, manifest artifacts.Manifest) {
	t.Helper()
	switch {
	case r.Type == "kubernetes:helm.sh/v3:Release":
		p.releases = append(p.releases, newRelease(t, r, manifest))
	case strings.HasPrefix(r.Type, "kubernetes:"):
		text, err := json.Marshal(plain(r.Inputs))
		require.NoError(t, err)
		p.objects = append(p.objects, parse(t, "the program's "+r.Name, "", string(text))...)
	case r.Text("create") == pulumitest.GateCommand:
		spec, err := kinds.Parse([]byte(r.Text("stdin")))
		require.NoError(t, err, r.Name)
		p.gates = append(p.gates, spec)
	case strings.HasSuffix(r.Text("create"), " crds apply"):
		var input struct{ File string }
		require.NoError(t, json.Unmarshal([]byte(r.Text("stdin")), &input))
		text, err := os.ReadFile(input.File)
		require.NoError(t, err)
		p.definitions = append(p.definitions, parse(t, r.Name, "", string(text))...)
	}
}

// plain returns inputs without secret marks, in JSON's types.
func plain(inputs resource.PropertyMap) map[string]any {
	found := map[string]any{}
	for key := range inputs {
		value, _ := pulumitest.Resource{Inputs: inputs}.Input(string(key))
		found[string(key)] = resource.PropertyMap{"value": value}.Mappable()["value"]
	}
	return found
}
