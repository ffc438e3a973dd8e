package leftovers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/nspawn"
	"strata/internal/pulumi/stackstate"
)

// onlyTheCreation is an exported state in which the creation of a machine, and others that are
// none, were interrupted.
func onlyTheCreation(t *testing.T) (string, nspawn.Spec) {
	t.Helper()
	text := `{"name":"local-agent-1","image":"/i.tar","imageSHA256":"` + strings.Repeat("a", 64) + `","bridge":"st0","subnet":"10.5.0.0/24","address":"10.5.0.21","authorizedKey":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1uQm8vC3Y6dTZc5yVn0Vd9vZ8m3r3q0f5o1m2p4s6t"}`
	spec, err := nspawn.ReadSpec(strings.NewReader(text))
	require.NoError(t, err)
	pending := func(kind, create string) string {
		return fmt.Sprintf(`{"type":%q,"resource":{"urn":"urn::a","type":"command:local:Command","inputs":{"create":%q,"stdin":%q}}}`, kind, create, text)
	}
	const machine = "exec .strata/bin/strata machine create"
	return `{"deployment":{"resources":[],"pending_operations":[` + strings.Join([]string{
		pending("creating", machine), pending("deleting", machine), pending("creating", "exec .strata/bin/strata vm create"),
	}, ",") + `]}}`, spec
}

func TestMachinesWhoseCreationWasInterruptedComeFromTheState(t *testing.T) {
	state, want := onlyTheCreation(t)
	found, err := unfinishedMachines(parse(t, state))
	require.NoError(t, err)
	assert.Equal(t, []nspawn.Spec{want}, found)

	known, err := KnownBefore(parse(t, strings.Replace(state, `"resources":[]`, `"resources":[{"urn":"urn::k3s-cluster","outputs":{"hex":"cafe"}}]`, 1)))
	require.NoError(t, err)
	assert.Equal(t, Before{"cafe", found}, known)
	printed, err := json.Marshal(known)
	require.NoError(t, err)
	given, err := ReadBefore(bytes.NewReader(printed))
	require.NoError(t, err)
	assert.Equal(t, known, given, "what is printed is what is read")

	none, err := unfinishedMachines(parse(t, `{"deployment":{}}`))
	require.NoError(t, err)
	assert.Empty(t, none)
	for text, wants := range map[string]string{"": "", "{}\n": "", "nonsense": "as --unfinished prints them"} {
		given, err := ReadBefore(strings.NewReader(text))
		assert.Empty(t, given)
		if wants != "" {
			require.ErrorContains(t, err, wants)
		} else {
			require.NoError(t, err)
		}
	}
}

// parse is an exported state as it is read.
func parse(t *testing.T, export string) *stackstate.State {
	t.Helper()
	state, err := stackstate.Parse([]byte(export))
	require.NoError(t, err)
	return state
}
