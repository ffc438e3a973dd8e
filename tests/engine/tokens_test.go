package engine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The cluster's data is encrypted with the new token before a server gets the token. Agents get the
// token after all servers. Otherwise a restarting agent would present a token that servers refuse.
func TestTokenRotationUpdatesServersInTurnThenAgents(t *testing.T) {
	s := newHistory(t, "staging")
	first := s.mustUp().actions
	assert.True(t, first.before("create", "k3s-ca-hash", "create", "k3s-server-2-install"))
	assert.True(t, first.before("create", "k3s-ca-hash", "create", "k3s-agent-1-install"))
	former := s.stored()["k3s-token"].Outputs["result"]

	s.set("k3s", "tokenGeneration", 1)
	did := s.mustUp().actions
	assert.True(t, did.before("update", "k3s-token-generation", "create", "k3s-token-rotation"))
	before := "k3s-token-rotation"
	for _, server := range []string{"server-1", "server-2", "server-3"} {
		assert.True(t, did.before("create", before, "create", "k3s-"+server+"-install"), "%s: %v",
			server, did)
		before = "k3s-" + server + "-gate"
	}
	for _, agent := range []string{"agent-1", "agent-2"} {
		assert.True(t, did.before("create", before, "create", "k3s-"+agent+"-install"), agent)
	}
	assert.Empty(t, did.names("delete"), "the former tokens open the snapshots of their time")
	assert.Equal(t, former, s.stored()["k3s-token"].Outputs["result"])
	assert.Empty(t, s.mustUp().changed())
	require.NoError(t, s.destroy().err)
}

// The next update finishes the rotation, whichever step was interrupted.
func TestNextUpdateFinishesInterruptedTokenRotation(t *testing.T) {
	for _, step := range []string{"k3s-token-rotation", "k3s-server-1-install", "k3s-server-2-install",
		"k3s-agent-1-install"} {
		t.Run(step, func(t *testing.T) {
			s := newHistory(t, "staging")
			// With parallel actions, the engine could end at the failure between the delete and the
			// create of another replacement.
			s.parallel = 1
			s.mustUp()
			s.set("k3s", "tokenGeneration", 1)
			s.fail("create", step)
			failed := s.up()
			require.Error(t, failed.err)
			assert.Empty(t, failed.actions.names("delete"), "of the tokens none leaves the state")
			s.heal("create", step)
			s.mustUp()
			assert.Empty(t, s.mustUp().changed())
		})
	}
}
