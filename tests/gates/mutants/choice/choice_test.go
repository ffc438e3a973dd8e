package choice

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// with returns the result of choice while the mutant id is active; 0 means none.
func with[T any](id int, choice func() T) T {
	on = id
	defer func() { on = 0 }()
	return choice()
}

func TestEachMutantAppliesAnotherOperator(t *testing.T) {
	for name, test := range map[string]struct {
		choice              func() bool
		none, first, second bool
	}{
		"!true": {func() bool { return Not(1, true) }, true, false, true},
		"true && false": {func() bool { return And(1, true, func() bool { return false }) }, false,
			true, false},
		"true || false": {func() bool { return Or(1, true, func() bool { return false }) }, true,
			false, true},
		"1 < 1":  {func() bool { return Less(1, 1, 1) }, false, true, true},
		"1 <= 1": {func() bool { return LessEqual(1, 1, 1) }, true, false, false},
		"1 > 1":  {func() bool { return Greater(1, 1, 1) }, false, true, true},
		"1 >= 1": {func() bool { return GreaterEqual(1, 1, 1) }, true, false, false},
		"2 > 1":  {func() bool { return Greater(1, 2, 1) }, true, true, false},
		"keep":   {func() bool { return Keep(1) }, true, false, true},
	} {
		assert.Equal(t, test.none, with(0, test.choice), name)
		assert.Equal(t, test.first, with(1, test.choice), name)
		assert.Equal(t, test.second, with(2, test.choice), name)
	}
	state := func() string { return State(1, "Waiting", "Ready", "Stuck") }
	assert.Equal(t, []string{"Waiting", "Ready", "Stuck"},
		[]string{with(0, state), with(1, state), with(2, state)})
}
