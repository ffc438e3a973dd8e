package config

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// YAML 1.1 reads off as a boolean. Pulumi's reader, which is of YAML 1.2, hands it over as a text.
func TestSwitchReadsEveryFormOfOnAndOff(t *testing.T) {
	for given, want := range map[string]bool{
		`off`: false, `"off"`: false, `false`: false, `"false"`: false, `on`: true, `"true"`: true, `null`: true, ``: true,
	} {
		assert.Equal(t, want, decodeVerify(t, given), given)
	}
}

func TestStackFileMayHaveOffWithoutQuotes(t *testing.T) {
	for _, written := range []string{"off", `"off"`, "false"} {
		sections, err := fileSections([]byte("config:\n  strata:verify: " + written + "\n"))
		require.NoError(t, err)
		assert.False(t, decodeVerify(t, sections["verify"]), written)
	}
}

func decodeVerify(t *testing.T, text string) bool {
	t.Helper()
	cfg, d := defaults(), decoder{}
	d.section("strata:verify", text, reflect.ValueOf(&cfg.Verify).Elem())
	require.NoError(t, d.problems.err(), text)
	return bool(cfg.Verify)
}
