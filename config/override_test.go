package config_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

func TestLegacyVariablesOverrideConfiguration(t *testing.T) {
	load := func(variables map[string]string) (*config.Config, error) {
		return config.Load("dev", good(), func(name string) string { return variables[name] })
	}
	cfg, err := load(nil)
	require.NoError(t, err)
	assert.True(t, cfg.Apps.Full())
	assert.Equal(t, 5*time.Minute, cfg.Timeouts.Apply.Duration)
	cfg, err = load(map[string]string{"SKIP_FINAL_WAIT": "true", "WAVE2_TIMEOUT": "90"})
	require.NoError(t, err)
	assert.False(t, cfg.Apps.Full())
	assert.Equal(t, 90*time.Second, cfg.Timeouts.Apply.Duration)
	_, err = load(map[string]string{"SKIP_FINAL_WAIT": "yes", "WAVE2_TIMEOUT": "5m"})
	require.ErrorContains(t, err, "SKIP_FINAL_WAIT: yes is neither true nor false; unset it, or use one of them")
	require.ErrorContains(t, err, "WAVE2_TIMEOUT: 5m is not a number of seconds; write for example 300")
	_, err = load(map[string]string{"WAVE2_TIMEOUT": "0"})
	require.ErrorContains(t, err, "strata:timeouts.apply: 0s is too short")
}
