package silence

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestContextEndsOnlyAfterTimeWithoutProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := With(t.Context(), 4*time.Second)
		defer stop()
		child, end := context.WithCancel(ctx)
		defer end()
		for range 1000 {
			time.Sleep(3 * time.Second)
			require.NoError(t, child.Err())
			Heard(child)
		}
		time.Sleep(4 * time.Second)
		<-child.Done()
		require.EqualError(t, Err(child), "nothing went through for 4s")
		assert.ErrorIs(t, Err(child), context.DeadlineExceeded)
	})
}

func TestContextEndsWithParent(t *testing.T) {
	parent, end := context.WithCancel(t.Context())
	ctx, stop := With(parent, time.Hour)
	defer stop()
	Heard(parent) // not bounded by silence
	end()
	<-ctx.Done()
	assert.Equal(t, context.Canceled, Err(ctx))
}
