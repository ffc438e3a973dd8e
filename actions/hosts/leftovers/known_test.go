package leftovers

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/pulumi/stackstate"
)

func TestClusterIDIsReadFromStateBeforeDestroy(t *testing.T) {
	known := KnownBefore(parse(t, `{"deployment":{"resources":[{"urn":"urn::k3s-cluster","outputs":{"hex":"cafe"}}]}}`))
	assert.Equal(t, Before{"cafe"}, known)
	printed, err := json.Marshal(known)
	require.NoError(t, err)
	given, err := ReadBefore(bytes.NewReader(printed))
	require.NoError(t, err)
	assert.Equal(t, known, given, "what is printed is what is read")

	assert.Empty(t, KnownBefore(parse(t, `{"deployment":{}}`)))
	for text, wants := range map[string]string{"": "", "{}\n": "", "nonsense": "as --before-destroy prints it"} {
		given, err := ReadBefore(strings.NewReader(text))
		assert.Empty(t, given)
		if wants != "" {
			require.ErrorContains(t, err, wants)
		} else {
			require.NoError(t, err)
		}
	}
}

// parse reads an exported state.
func parse(t *testing.T, export string) *stackstate.State {
	t.Helper()
	state, err := stackstate.Parse([]byte(export))
	require.NoError(t, err)
	return state
}
