package observe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestWhatStaysTheSameIsTimed(t *testing.T) {
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
