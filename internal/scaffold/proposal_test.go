package scaffold

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHostsOfOneArchitectureOnly(t *testing.T) {
	hosts := withMemory(1, 1, 1)
	hosts[0].Facts.Arch, hosts[1].Facts.Arch, hosts[2].Facts.Arch = "aarch64", "x86_64", "aarch64"
	hosts[1].Asked = Asked{"root", "10.0.0.12", 22}
	problems := systems(hosts)
	require.Len(t, problems, 1)
	assert.Equal(t, "10.0.0.12:22: is amd64, and hosts before it are arm64; name hosts of one architecture: all nodes get the same files", problems[0].Error())
	hosts[1].Facts.Arch = ""
	assert.Contains(t, systems(hosts).Error(), "is of an unknown architecture")
}

// What most hosts have is said once for all.
func TestMostly(t *testing.T) {
	hosts := withMemory(1, 1, 1)
	hosts[0].Asked.User, hosts[1].Asked.User, hosts[2].Asked.User = "root", "ada", "ada"
	assert.Equal(t, "ada", mostly(hosts, func(h Host) string { return h.Asked.User }))
	assert.Equal(t, "root", mostly(hosts[:2], func(h Host) string { return h.Asked.User }), "of as many, the first")
}
