package host

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestARunOnAHostPassesOnlyWhenItRan(t *testing.T) {
	assert.True(t, HostRun{Seen: true}.Passed())
	assert.False(t, HostRun{}.Passed())
	assert.False(t, HostRun{Seen: true, Code: 1}.Passed())
	assert.False(t, HostRun{Seen: true, Fault: "connection lost"}.Passed())
	assert.False(t, HostRun{Fault: "connection lost"}.Passed())
	assert.False(t, HostRun{Code: 1}.Passed())
}
