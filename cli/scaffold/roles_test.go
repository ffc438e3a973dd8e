package scaffold

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation"

	"strata/health/host"
)

// withMemory returns hosts a, b, c … with this much memory, in MiB.
func withMemory(mib ...int) []Host {
	var hosts []Host
	for i, one := range mib {
		hosts = append(hosts, Host{Facts: Facts{Hostname: string(rune('a' + i)), MemoryMiB: one}})
	}
	return hosts
}

func TestRolesDependOnHostCountAndMemory(t *testing.T) {
	least := host.Needs("server", false, false).MinMemoryMiB
	for _, test := range []struct {
		name  string
		hosts []Host
		want  string
	}{
		{"one host is the server", withMemory(4000), "a server"},
		{"two hosts have one server: etcd needs an odd number", withMemory(4000, 4000),
			"a server, b agent"},
		{"three hosts are servers", withMemory(4000, 4000, 4000), "a server, b server, c server"},
		{"of five, two are agents", withMemory(4000, 4000, 4000, 4000, 4000),
			"a server, b server, c server, d agent, e agent"},
		{"a small host is passed over", withMemory(4000, least-1, least, 4000),
			"a server, c server, d server, b agent"},
		{"too few have the memory for three", withMemory(500, 4000, 4000),
			"b server, a agent, c agent"},
	} {
		t.Run(test.name, func(t *testing.T) {
			all, problem := nodes(test.hosts)
			require.Nil(t, problem)
			var found []string
			for _, node := range all {
				found = append(found, node.Name+" "+string(node.Role))
			}
			assert.Equal(t, test.want, strings.Join(found, ", "))
		})
	}
	_, problem := nodes(withMemory(least-1, 500))
	require.NotNil(t, problem)
	assert.Contains(t, problem.Error(),
		fmt.Sprintf("no host has the %d MiB of memory that a server needs; give one host more", least))
}

func TestNodeNamesAreUniqueDNSLabels(t *testing.T) {
	names := map[string]bool{}
	long := strings.Repeat("a", 80)
	for _, test := range [][2]string{
		{"server-1", "server-1"}, {"Server_2.example.com", "server-2"},
		{"server-1.example.com", "server-1-2"}, {"SERVER-1", "server-1-3"}, {"-edge-", "edge"},
		{"", "node"}, {"…", "node-2"}, {long, long[:63]}, {long + "b", long[:61] + "-2"},
		{"10", "10"},
	} {
		name := uniqueName(test[0], names)
		assert.Equal(t, test[1], name)
		assert.Empty(t, validation.IsDNS1123Label(name), name)
	}
}
