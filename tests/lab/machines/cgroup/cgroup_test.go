package cgroup

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHierarchiesAreFoundOnEveryKindOfHost(t *testing.T) {
	const v1 = `34 30 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
35 30 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd
`
	const hybrid = v1 + `36 30 0:38 / /sys/fs/cgroup/unified rw,relatime shared:4 - cgroup2 cgroup2 rw
`
	const v2 = `22 1 254:0 / / rw - ext4 /dev/vda rw
36 30 0:38 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw
`
	memory := hierarchy{"/sys/fs/cgroup/memory", false}
	systemd := hierarchy{"/sys/fs/cgroup/systemd", false}
	assert.Equal(t, []hierarchy{memory, systemd}, hierarchies(v1))
	assert.Equal(t, []hierarchy{memory, systemd, {"/sys/fs/cgroup/unified", true}}, hierarchies(hybrid))
	assert.Equal(t, []hierarchy{{"/sys/fs/cgroup", true}}, hierarchies(v2))
}

func TestLimitsAreWrittenForCgroupV1AndV2(t *testing.T) {
	assert.Equal(t, "max", Limits{}.files()["memory.max"])
	assert.Equal(t, "-1", Limits{}.files()["cpu.cfs_quota_us"])
	assert.Equal(t, map[string]string{
		"memory.limit_in_bytes": "1073741824", "memory.max": "1073741824",
		"cpu.cfs_quota_us": "150000", "cpu.max": "150000 100000",
	}, Limits{MemoryMiB: 1024, CPUs: 1.5}.files())
}
