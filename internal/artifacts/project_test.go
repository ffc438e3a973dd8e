package artifacts_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/internal/artifacts"
)

func TestFetchKnowsTheVersionsOfEveryStackFile(t *testing.T) {
	t.Setenv(config.ArtifactsVariable, "")
	pins, err := artifacts.ProjectPins("../..")
	require.NoError(t, err)
	defaults := config.Pins(config.Versions{})
	require.Len(t, pins, len(defaults)+1, "and the image of the demo that a stack on hosts of its own has, which no registry has")
	assert.Equal(t, defaults, pins[:len(defaults)])
	assert.Equal(t, "go-rest-1.0.0", pins[len(defaults)].Version)

	project := t.TempDir()
	require.NoError(t, os.WriteFile(project+"/Pulumi.dev.yaml", []byte(`config:
  strata:hosts: {driver: machine, subnet: 10.10.0.0/24, nodes: [{name: a, role: server, address: 10.10.0.11}]}
  strata:k3s: {version: v1.35.1+k3s2}
  strata:metallb: {addresses: [10.10.0.200/29]}
`), 0o644))
	pins, err = artifacts.ProjectPins(project)
	require.NoError(t, err)
	assert.Len(t, pins, len(config.Pins(config.Versions{}))+5, "all default pins, and K3s's files at the other version")
}
