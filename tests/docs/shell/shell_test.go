package shell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestScriptSplitsLinesIntoCommands(t *testing.T) {
	for line, want := range map[string]string{
		"make up      # Pulumi, two machines":                   "make,up",
		"strata fetch && strata preflight -s kind":              "strata,fetch|strata,preflight,-s,kind",
		`eval "$(strata repair -s STACK)"`:                      "strata,repair,-s,STACK|eval,$",
		"A=b C='d e' pulumi up -s x > file 2>&1":                "pulumi,up,-s,x",
		"pulumi stack output --show-secrets kubeconfig >config": "pulumi,stack,output,--show-secrets,kubeconfig",
		`echo 'a b' "c d" e\ f`:                                 `echo,a b,c d,e\,f`,
		"export PULUMI_BACKEND_URL=s3://bucket":                 "export,PULUMI_BACKEND_URL=s3://bucket",
		"# only a comment":                                      "", "": "", "a#b": "a#b",
		"make load & make deploy VERSION=2": "make,load|make,deploy,VERSION=2",
	} {
		commands, err := Script(line)
		require.NoError(t, err, line)
		var found []string
		for _, one := range commands {
			found = append(found, strings.Join(one.Words, ","))
		}
		assert.Equal(t, want, strings.Join(found, "|"), line)
	}
}

func TestScriptRejectsUnsupportedSyntax(t *testing.T) {
	for _, line := range []string{"(cd x; make)", "echo `date`", "{ make up; }", `echo "a`, "echo $(date"} {
		_, err := Script(line)
		require.Error(t, err, line)
	}
}

func TestOnlyShellBlocksAreRead(t *testing.T) {
	commands, err := Page(
		"make down\n```sh\nmake up \\\n  STACK=x\n```\n```yaml\nmake: lab\n```\n- in a list:\n  ```sh\n  strata version\n  ```\n")
	require.NoError(t, err)
	assert.Equal(t,
		[]Command{{[]string{"make", "up", "STACK=x"}, "make up    STACK=x"},
			{[]string{"strata", "version"}, "strata version"}}, commands)
}

func TestWorkflowAndPipelineScriptsAreRead(t *testing.T) {
	for _, text := range []string{
		"on: {push: {}}\njobs:\n  up:\n    steps:\n      - uses: a/b\n      - name: run\n " +
			"       run: |\n          make build\n          pulumi up\n",
		"stages: [up]\nup:\n  script:\n    - make build\n    - pulumi up\n",
	} {
		commands, err := Pipeline(text)
		require.NoError(t, err)
		assert.Equal(t, []Command{{[]string{"make", "build"}, "make build"},
			{[]string{"pulumi", "up"}, "pulumi up"}},
			commands)
	}
	_, err := Pipeline("up: {script: ['(cd x)']}")
	require.Error(t, err)
}
