package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// pinOf returns the pin of an artifact.
func pinOf(t *testing.T, pins []config.Pin, name string) config.Pin {
	t.Helper()
	i := slices.IndexFunc(pins, func(pin config.Pin) bool { return pin.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return pins[i]
}

func TestVersionKeyOfEachChartIsReadAndValidated(t *testing.T) {
	for _, pin := range config.Pins() {
		if pin.Key == "" || strings.HasPrefix(pin.Name, "k3s") {
			continue
		}
		t.Run(pin.Name, func(t *testing.T) {
			key := strings.TrimPrefix(pin.Key, "strata:")
			cfg, err := config.Load("dev", withValues(t, key, `"v9.9.9"`), noEnv)
			require.NoError(t, err)
			asked, version := cfg.Explicit(pin.Name)
			assert.Equal(t, pin.Key, asked)
			assert.Equal(t, "v9.9.9", version)

			_, err = config.Load("dev", withValues(t, key, `"newest"`), noEnv)
			require.ErrorContains(t, err, pin.Key+": newest is not ", "also where its layer is off")
			assert.ErrorContains(t, err, "for example "+pin.Version)
		})
	}
}

func TestChartVersionKeepsLeadingVOnlyIfPinHasOne(t *testing.T) {
	cfg, err := config.Load("dev", withValues(t, "traefik.chartVersion", `"v9.9.9"`), noEnv)
	require.NoError(t, err)
	traefik := pinOf(t, cfg.Pins(), config.ArtifactTraefikChart)
	assert.Equal(t, "9.9.9", traefik.Version)
	assert.True(t, strings.HasSuffix(traefik.URL, "/traefik-9.9.9.tgz"), traefik.URL)

	cfg, err = config.Load("dev", withValues(t, "certManager.chartVersion", `"v9.9.9"`), noEnv)
	require.NoError(t, err)
	manager := pinOf(t, cfg.Pins(), config.ArtifactCertManagerChart)
	assert.Equal(t, "v9.9.9", manager.Version)
	assert.True(t, strings.HasSuffix(manager.URL, "/cert-manager-v9.9.9.tgz"), manager.URL)
}
