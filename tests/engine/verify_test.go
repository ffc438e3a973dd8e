package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/components"
	"strata/platform"
)

// The program's final check reports that the platform is down. cli/stackhealth tests that check.
func TestUpdateFailsWhenPlatformIsDownAndKeepsResources(t *testing.T) {
	s := newStack(t, "kind")
	var asked []int
	down := error(nil)
	s.registers = platform.Program{Verify: func(_ *pulumi.Context, _ time.Time,
		gates []*components.Gate) error {
		asked = append(asked, len(gates))
		return down
	}}.Run
	s.mustUp()
	before := s.stored()
	down = errors.New("traefik is down")
	again := s.up()
	require.ErrorContains(t, again.err, "traefik is down")
	assert.Empty(t, again.changed())
	assert.Len(t, s.stored(), len(before))
	require.Len(t, asked, 2)
	assert.Equal(t, asked[0], asked[1])
	assert.Greater(t, asked[0], 10)
}
