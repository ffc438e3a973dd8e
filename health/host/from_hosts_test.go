package host

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/health"
)

func TestChecksFromHostsAreSkippedWithoutHostOrKey(t *testing.T) {
	hosts := []health.Host{{Role: "server"}}
	assert.Empty(t, WhyNoHosts(hosts, []byte("key")))
	assert.Equal(t, NoKey, WhyNoHosts(hosts, nil))
	assert.Contains(t, WhyNoHosts(nil, []byte("key")), "names no host")
}

func TestRunPassesOnlyWithExitCodeZero(t *testing.T) {
	assert.True(t, Run{Seen: true}.HasPassed())
	assert.False(t, Run{}.HasPassed())
	assert.False(t, Run{Seen: true, Code: 1}.HasPassed())
	assert.False(t, Run{Seen: true, Fault: "connection lost"}.HasPassed())
	assert.False(t, Run{Fault: "connection lost"}.HasPassed())
	assert.False(t, Run{Code: 1}.HasPassed())
}
