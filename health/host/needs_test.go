package host

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Only a server needs etcd's ports and memory. Only a server that holds the virtual address needs
// keepalived.
func TestServerHasMoreRequirementsThanAgent(t *testing.T) {
	server, agent := Needs("server", false, false), Needs("agent", true, true)
	assert.Contains(t, server.Ports, 2379)
	assert.Equal(t, []int{10250}, agent.Ports)
	assert.Greater(t, server.MinMemoryMiB, agent.MinMemoryMiB)
	assert.Empty(t, server.Programs)
	assert.Empty(t, agent.Programs)
	assert.Equal(t, []string{"keepalived"}, Needs("server", false, true).Programs)
}
