package engine_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fiveNodes are those of stack staging.
var fiveNodes = []string{"server-1", "server-2", "server-3", "agent-1", "agent-2"}

// overProvidersSSH returns stack staging from a program that changed hosts over the provider's SSH.
// It stays unchanged when others are kept.
func overProvidersSSH(t *testing.T) *stack {
	t.Helper()
	s := stackOf(t, "staging", filepath.Join(root, "tests", "engine", "testdata", "provider-ssh.json.gz"))
	for _, node := range fiveNodes {
		old := s.stored()["k3s-"+node+"-uninstall"]
		require.NotNil(t, old)
		require.True(t, old.Inputs.HasValue("delete"), "the test looked at no uninstall")
	}
	return s
}

// The delete of the old command is the uninstall of K3s. So it must leave the state without
// running, and only once its successor exists.
func TestWhatTheProvidersSSHDidIsTakenOverWithoutAnUninstall(t *testing.T) {
	s := overProvidersSSH(t)
	preview := s.preview()
	require.NoError(t, preview.err)
	for _, node := range fiveNodes {
		assert.Equal(t, []string{"update"}, preview.steps["k3s-"+node+"-uninstall"])
	}
	did := s.mustUp().actions
	for _, name := range did.names("delete") {
		assert.True(t, strings.HasSuffix(name, "-install") || strings.HasSuffix(name, "-gate") ||
			!strings.Contains(name, "-server-") && !strings.Contains(name, "-agent-"), "%s was deleted", name)
	}
	for _, node := range fiveNodes {
		name := "k3s-" + node + "-uninstall"
		assert.True(t, did.before("create", "k3s-"+node+"-claim", "update", name), node)
		for _, step := range []resource.PropertyKey{"create", "update", "delete"} {
			assert.False(t, s.stored()[name].Inputs.HasValue(step), "%s of %s", step, name)
			assert.False(t, s.stored()[name].Outputs.HasValue(step), "%s of %s", step, name)
		}
		assert.Equal(t, "command:local:Command", string(s.stored()["k3s-"+node+"-install"].Type))
	}
	assert.Empty(t, s.mustUp().changed())

	gone := s.destroy()
	require.NoError(t, gone.err)
	for _, node := range fiveNodes {
		assert.NotNil(t, gone.actions.find("delete", "k3s-"+node+"-claim"), "it uninstalls")
	}
	assert.Empty(t, s.stored())
}

// Until the successor exists, the state has the old delete: a destroy in between uninstalls.
func TestATakeoverThatBreaksOffLeavesAnUninstallInTheState(t *testing.T) {
	s := overProvidersSSH(t)
	s.fail("create", "k3s-agent-1-claim")
	require.Error(t, s.up().err)
	assert.True(t, s.stored()["k3s-agent-1-uninstall"].Inputs.HasValue("delete"))
	gone := s.destroy()
	require.NoError(t, gone.err)
	assert.Contains(t, gone.actions.names("delete"), "k3s-agent-1-uninstall")

	s = overProvidersSSH(t)
	s.fail("update", "k3s-agent-1-uninstall")
	require.Error(t, s.up().err)
	both := s.stored()
	assert.True(t, both["k3s-agent-1-uninstall"].Inputs.HasValue("delete"))
	assert.True(t, both["k3s-agent-1-claim"].Inputs.HasValue("delete"))
	s.heal("update", "k3s-agent-1-uninstall")
	s.mustUp()
	assert.Empty(t, s.mustUp().changed())
}

// A node that is removed in the migrating run is uninstalled by the state's command.
func TestANodeThatLeavesWithTheTakeoverIsUninstalledOnce(t *testing.T) {
	s := overProvidersSSH(t)
	s.removeNodes("agent-2")
	did := s.mustUp().actions
	assert.Contains(t, did.names("delete"), "k3s-agent-2-uninstall")
	assert.Nil(t, did.find("create", "k3s-agent-2-claim"))
	left := slices.DeleteFunc(did.ending("delete", "-uninstall"), func(name string) bool {
		return name == "k3s-agent-2-uninstall"
	})
	assert.Empty(t, left)
}
