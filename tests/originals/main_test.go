package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

func TestPublishedListsArtifactsOfStacks(t *testing.T) {
	t.Chdir("../..")
	t.Setenv(config.ArtifactsVariable, "")
	for _, stack := range []string{"local", "staging"} {
		cfg, err := config.FromFile("Pulumi." + stack + ".yaml")
		require.NoError(t, err)
		pins, err := published(cfg)
		require.NoError(t, err)
		var names []string
		for _, pin := range pins {
			names = append(names, pin.Name+" "+pin.Arch)
			_, built := config.BuiltImage(pin.URL)
			assert.False(t, built, pin.Name)
		}
		assert.Subset(t, names, []string{"k3s amd64", "k3s-images amd64", "k3s-install ",
			"traefik-chart ", "wave-chart ",
			"pulumi-resource-kubernetes amd64"}, stack)
		assert.NotContains(t, names, "k3s arm64", stack)
	}
}
