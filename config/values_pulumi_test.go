package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Pulumi passes encrypted values as plain text, and names the section that has them.
func TestValuesOfSecretSectionAreSecrets(t *testing.T) {
	raw := withValues(t, "traefik.values", `{"env":[{"name":"TOKEN","value":"hunter2"}]}`)
	cfg, err := fromPulumi(t, raw, "strata:traefik")
	require.NoError(t, err)
	assert.True(t, cfg.Traefik.Values.Secret)
	cfg, err = fromPulumi(t, raw, "strata:argocd")
	require.NoError(t, err)
	assert.False(t, cfg.Traefik.Values.Secret)
}

func TestRefusedValueOfSecretSectionIsNotShown(t *testing.T) {
	for _, values := range []string{`{"nameOverride":"hunter2"}`, `{"deployment":"hunter2"}`, `"hunter2"`} {
		_, err := fromPulumi(t, withValues(t, "traefik.values", values), "strata:traefik")
		require.ErrorContains(t, err, ": [secret] ")
		assert.NotContains(t, err.Error(), "hunter2")
	}
}
