package observe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestUnchangedTextIsTimedPerKey(t *testing.T) {
	now := time.Unix(0, 0)
	s := NewStable(func() time.Time { return now })
	assert.Zero(t, s.Seconds("a", "x"))
	now = now.Add(9900 * time.Millisecond)
	assert.Equal(t, 9, s.Seconds("a", "x"))
	assert.Zero(t, s.Seconds("b", "x"), "another subject has its own time")
	assert.Zero(t, s.Seconds("a", "y"), "a change starts anew")
	now = now.Add(3 * time.Second)
	assert.Equal(t, 3, s.Seconds("a", "y"))
	s.Forget("a")
	assert.Zero(t, s.Seconds("a", "y"), "well in between starts anew")
}

func TestEventLongBeforeFirstObservationIsOld(t *testing.T) {
	now := time.Unix(1000, 0)
	s := NewStable(func() time.Time { return now })
	assert.False(t, s.Old("recent", now.Add(-fresh)), "as far ago as what a gate waits for may be")
	assert.True(t, s.Old("old", now.Add(-fresh-time.Second)))
	assert.False(t, s.Old("ahead", now.Add(time.Minute)), "a host's clock that is ahead")
	now = now.Add(time.Hour)
	assert.True(t, s.Old("old", time.Unix(1000, 0).Add(-fresh-time.Second)),
		"nothing has happened since")
	assert.False(t, s.Old("recent", time.Unix(1000, 0).Add(-fresh)),
		"it was recent at the first look")
	assert.False(t, s.Old("old", time.Unix(1001, 0)), "it happened again")
}
