package kinds

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/health"
)

func TestEveryKindHasAConstructor(t *testing.T) {
	assert.Equal(t, slices.Sorted(slices.Values(health.Kinds)), slices.Sorted(maps.Keys(constructors)))
}
