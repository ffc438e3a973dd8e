package health

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestGateThatDidNotRunIsNotOpen(t *testing.T) {
	result := NotAsked(Spec{Gate: "k3s-system"}, "a login on the host")
	assert.False(t, result.Passes())
	assert.Equal(t, EndedNotAsked, result.Ending)
	assert.Equal(t, []Verdict{{Check: "not asked", State: Skipped,
		Message: "needs a login on the host"}}, result.Checks)
}
