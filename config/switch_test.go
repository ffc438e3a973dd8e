package config

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSwitchReadsEveryFormOfOnAndOff(t *testing.T) {
	for given, want := range map[string]bool{
		`off`: false, `"off"`: false, `false`: false, `"false"`: false, `on`: true, `"true"`: true,
		`null`: true, ``: true,
	} {
		assert.Equal(t, want, decodeVerify(t, given), given)
	}
}

func decodeVerify(t *testing.T, text string) bool {
	t.Helper()
	cfg, d := defaults(), decoder{}
	d.section("strata:verify", text, reflect.ValueOf(&cfg.Verify).Elem())
	require.NoError(t, d.problems.err(), text)
	return bool(cfg.Verify)
}
