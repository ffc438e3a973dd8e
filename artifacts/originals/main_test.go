package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/config"
)

// stackOf returns a committed stack's configuration.
func stackOf(t *testing.T, name string) *config.Config {
	t.Helper()
	t.Chdir("../..")
	t.Setenv(config.ArtifactsVariable, "")
	cfg, err := config.FromFile("Pulumi." + name + ".yaml")
	require.NoError(t, err)
	return cfg
}

func names(pins []config.Pin) (names []string) {
	for _, pin := range pins {
		names = append(names, pin.Name+" "+pin.Arch)
	}
	return names
}

func TestAnUpAsksForWhatItsStackNeeds(t *testing.T) {
	cfg := stackOf(t, "staging")
	pins, unfit, err := wanted(cfg, true)
	require.NoError(t, err)
	assert.Empty(t, unfit, "the hosts are others: what they can run a preflight says")
	assert.Subset(t, names(pins),
		[]string{"k3s amd64", "k3s-images amd64", "k3s-install ", "traefik-chart ", "traefik-crds "})
	for _, absent := range []string{"k3s arm64", "wave-chart "} {
		assert.NotContains(t, names(pins), absent)
	}
	all, _, err := wanted(cfg, false)
	require.NoError(t, err)
	assert.Contains(t, names(all), "wave-chart ", "a folder is for all that is pinned")
	for _, pin := range all {
		_, built := config.BuiltImage(pin.URL)
		assert.False(t, built, pin.Name)
	}
	assert.Contains(t, strings.Join(names(pins), ","), "pulumi-resource-kubernetes")
}

// The pinned release of K3s was never run in a container, and a user's first update must not be an
// experiment.
func TestMachinesKeepTheLabsK3s(t *testing.T) {
	cfg := stackOf(t, "local")
	pins, unfit, err := wanted(cfg, true)
	require.NoError(t, err)
	assert.Contains(t, unfit, "machines of the lab keep the lab's")
	for _, absent := range []string{"k3s amd64", "k3s-images amd64", "k3s-install "} {
		assert.NotContains(t, names(pins), absent)
	}
	assert.Contains(t, names(pins), "traefik-chart ")
	all, _, err := wanted(cfg, false)
	require.NoError(t, err)
	assert.Contains(t, names(all), "k3s amd64", "a folder is for who asks for it")
}

// By default the network decides which artifacts `make up` uses; the tests decide themselves
// (.ci/run).
func TestMakeLeavesTheChoiceOpen(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^ARTIFACTS \?=$`, string(makefile))
	ci, err := os.ReadFile("../../.ci/run")
	require.NoError(t, err)
	assert.Contains(t, string(ci), "ARTIFACTS=lab")
}

func TestOneLineSaysWhatWasChosenAndWhy(t *testing.T) {
	pins := []config.Pin{{Name: "k3s"}, {Name: "vault-chart"}}
	gone := errors.New(
		"fetch vault-chart 1: downloading from example.org: no route to host; check the network\nand more")
	cases := map[string]struct {
		filled artifacts.Filled
		unfit  string
		want   string
	}{
		"all": {artifacts.Filled{Names: []string{"k3s", "vault-chart"}}, "",
			"Artifacts of stack dev: 2 downloads of upstream's. ARTIFACTS=lab or upstream decides otherwise"},
		"some": {artifacts.Filled{Names: []string{"k3s"}, Missing: gone}, "",
			"Artifacts of stack dev: 1 downloads of upstream's, and the lab's for the rest: vault-chart (fetch vault-chart 1: downloading from example.org: no route to host). ARTIFACTS=lab or upstream decides otherwise"},
		"nothing": {artifacts.Filled{Missing: gone}, "",
			"Artifacts of stack dev: the lab's, compiled here (fetch vault-chart 1: downloading from example.org: no route to host). ARTIFACTS=lab or upstream decides otherwise"},
		"unfit": {artifacts.Filled{Names: []string{"k3s", "vault-chart"}}, "k3s: cgroup v1",
			"Artifacts of stack dev: 2 downloads of upstream's, and the lab's for the rest (k3s: cgroup v1). ARTIFACTS=lab or upstream decides otherwise"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, choice("dev", pins, test.filled, test.unfit, false))
		})
	}
}
