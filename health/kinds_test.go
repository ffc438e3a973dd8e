package health

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEveryKindHasAConstructor(t *testing.T) {
	assert.Equal(t, slices.Sorted(slices.Values(Kinds)), slices.Sorted(maps.Keys(constructors)))
}
