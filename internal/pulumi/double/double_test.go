package double_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/internal/pulumi/double"
)

func TestIntegersBeyondTwoToThe53AreRounded(t *testing.T) {
	for _, value := range []any{int64(1<<53 + 1), int64(-1<<53 - 1), int64(-1009223372036854775),
		float64(1 << 64), math.Inf(1)} {
		assert.True(t, double.Rounds(value), value)
	}
	for _, value := range []any{int64(1 << 53), int64(-1 << 53), float64(1 << 53), 0.1, 1e300 / 3e300,
		"1009223372036854775", nil, true} {
		assert.False(t, double.Rounds(value), value)
	}
}
