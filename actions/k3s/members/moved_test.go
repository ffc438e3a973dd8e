package members_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/k3s/members"
	"strata/internal/ssh/remote"
)

// at returns a Set of nodes with these addresses, by name.
func at(nodes map[string]string) members.Set {
	var set members.Set
	for name, address := range nodes {
		set.Members = append(set.Members,
			members.Member{Target: remote.Target{Name: name, Address: address}, Role: "agent"})
	}
	return set
}

func TestAddressCannotMoveToAnotherNode(t *testing.T) {
	previous := at(map[string]string{"agent-1": "10.0.0.1", "agent-2": "10.0.0.2"})
	for name, wanted := range map[string]map[string]string{
		"renamed":                        {"worker-1": "10.0.0.1", "agent-2": "10.0.0.2"},
		"changed places":                 {"agent-1": "10.0.0.2", "agent-2": "10.0.0.1"},
		"takes a removed node's address": {"agent-1": "10.0.0.2"},
	} {
		err := members.CheckAddresses(previous, at(wanted))
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), "In two steps", name)
	}
	err := members.CheckAddresses(previous, at(map[string]string{"agent-1": "10.0.0.2",
		"agent-2": "10.0.0.1"}))
	assert.Contains(t, err.Error(), "10.0.0.2 was agent-2 and is to be agent-1",
		"all are named at once")
	assert.Contains(t, err.Error(), "10.0.0.1 was agent-1 and is to be agent-2",
		"all are named at once")
	for name, wanted := range map[string]map[string]string{
		"unchanged":              {"agent-1": "10.0.0.1", "agent-2": "10.0.0.2"},
		"a node was removed":     {"agent-1": "10.0.0.1"},
		"a node was added":       {"agent-1": "10.0.0.1", "agent-2": "10.0.0.2", "agent-3": "10.0.0.3"},
		"a new host":             {"agent-1": "10.0.0.9", "agent-2": "10.0.0.2"},
		"one removed, one added": {"agent-1": "10.0.0.1", "worker-1": "10.0.0.9"},
		"no nodes":               {},
	} {
		assert.NoError(t, members.CheckAddresses(previous, at(wanted)), name)
	}
	assert.NoError(t, members.CheckAddresses(members.Set{}, previous), "the first run has no previous one")
}
