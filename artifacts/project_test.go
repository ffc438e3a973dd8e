package artifacts_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/config"
)

func TestProjectPinsIncludeVersionsOfAllStackFiles(t *testing.T) {
	t.Setenv(config.ArtifactsVariable, "")
	pins, from, err := artifacts.ProjectPins("..")
	require.NoError(t, err)
	assert.Empty(t, from, "the committed stacks have no mirror")
	defaults := config.Pins()
	assert.Equal(t, defaults, pins, "local has the image of its demo from the lab's bundle")
	t.Setenv(config.ArtifactsVariable, config.SourceUpstream)
	pins, _, err = artifacts.ProjectPins("..")
	require.NoError(t, err)
	require.Len(t, pins, len(defaults)+1,
		"and the image of the demo that a stack on hosts of its own has, which no registry has")
	assert.Equal(t, defaults, pins[:len(defaults)])
	assert.Equal(t, "go-rest-1.0.0", pins[len(defaults)].Version)

	project := t.TempDir()
	require.NoError(t, os.WriteFile(project+"/Pulumi.dev.yaml", []byte(`config:
  strata:hosts: {driver: existing, subnet: 10.10.0.0/24, nodes: [{name: a, role: server, address: 10.10.0.11}]}
  strata:k3s: {version: v1.35.1+k3s2}
  strata:metallb: {addresses: [10.10.0.200/29]}
`), 0o644))
	pins, _, err = artifacts.ProjectPins(project)
	require.NoError(t, err)
	assert.Len(t, pins, len(config.Pins())+5,
		"all default pins, and K3s's files at the other version")
}

func TestProjectPinsRequireOneMirrorForAllStackFiles(t *testing.T) {
	t.Setenv(config.ArtifactsVariable, "")
	t.Setenv(config.MirrorVariable, "")
	project := t.TempDir()
	stackFile := func(name, artifacts string) {
		text := "config:\n  strata:cluster: {context: kind-kind}\n  strata:metallb: {addresses: " +
			"[10.0.0.1-10.0.0.9]}\n  strata:artifacts: " + artifacts + "\n"
		require.NoError(t, os.WriteFile(project+"/Pulumi."+name+".yaml", []byte(text), 0o600))
	}
	stackFile("a", "{}")
	stackFile("b", "{mirror: https://mirror.example.org}")
	_, from, err := artifacts.ProjectPins(project)
	require.NoError(t, err)
	assert.Equal(t, config.Artifacts{Mirror: "https://mirror.example.org"}, from)

	stackFile("c", "{mirror: https://hunter2.example.org}")
	_, _, err = artifacts.ProjectPins(project)
	require.ErrorContains(t, err, "Pulumi.b.yaml and "+project+
		"/Pulumi.c.yaml name different mirrors")
	require.ErrorContains(t, err, config.MirrorVariable)

	stackFile("c", "{mirror: {secure: v1:abc}}")
	t.Setenv(config.MirrorVariable, "https://me:hunter2@mirror.example.org")
	_, from, err = artifacts.ProjectPins(project)
	require.NoError(t, err)
	assert.Equal(t, "https://me:hunter2@mirror.example.org", from.Mirror)
}

// `strata fetch` cannot read settings from Pulumi ESC (`environment:`). Users pass it a copy of the
// stack file that contains these settings.
func TestProjectPinsReadStackFileFromArgument(t *testing.T) {
	t.Setenv(config.ArtifactsVariable, "")
	t.Setenv(config.MirrorVariable, "")
	project, copied := t.TempDir(), t.TempDir()+"/dev.yaml"
	text := "config:\n  strata:cluster: {context: kind-kind}\n  strata:metallb: {addresses: [10.0.0.1-10.0.0.9]}\n"
	require.NoError(t, os.WriteFile(project+"/Pulumi.dev.yaml",
		[]byte(text+"environment: [shared/dev]\n"), 0o600))
	_, _, err := artifacts.ProjectPins(project)
	require.ErrorContains(t, err, "environment: has values of Pulumi ESC")
	require.NoError(t, os.WriteFile(copied,
		[]byte(text+"  strata:artifacts: {mirror: 'https://mirror.example.org'}\n"), 0o600))
	_, from, err := artifacts.ProjectPins(project, copied)
	require.NoError(t, err)
	assert.Equal(t, "https://mirror.example.org", from.Mirror)
}
