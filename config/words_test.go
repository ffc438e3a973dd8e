package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// Helm reads yes, no, on and off as booleans. Pulumi passes them as texts, which templates treat as
// true.
func TestBooleanWordsAreReportedWhereChartHasBoolean(t *testing.T) {
	cfg, err := config.Load("dev", withValues(t, "argocd.values", `{"dex":{"enabled":"no","env":"off"},
		"notifications":{"enabled":"Off"},"server":{"debug":"false"},"extra":{"on":"yes"}}`), noEnv)
	require.NoError(t, err)
	var keys []string
	for _, one := range cfg.OwnValues()[0].BooleanWords(map[string]any{
		"dex":           map[string]any{"enabled": true, "env": "x"},
		"notifications": map[string]any{"enabled": true},
		"server":        map[string]any{"debug": true},
	}) {
		keys = append(keys, one.Error())
	}
	const said = ".enabled: is a text in a stack file, and the chart has a boolean there; write true or false"
	assert.Equal(t, []string{"strata:argocd.values.dex" + said,
		"strata:argocd.values.notifications" + said}, keys)
}
