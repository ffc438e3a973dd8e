package lockfile

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSecondLockWaitsUntilFirstIsReleased(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "lock")
	unlock, err := Lock(t.Context(), path, nil)
	require.NoError(t, err)
	waits, got := make(chan struct{}), make(chan error, 1)
	go func() {
		second, err := Lock(t.Context(), path, func() { close(waits) })
		if err == nil {
			second()
		}
		got <- err
	}()
	<-waits
	select {
	case <-got:
		t.Fatal("the second holder got the lock while the first had it")
	default:
	}
	unlock()
	assert.NoError(t, <-got)
}

func TestLockWaitEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := Lock(t.Context(), path, nil)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Lock(ctx, path, cancel)
	require.ErrorIs(t, err, context.Canceled)
	unlock()
	next, err := Lock(t.Context(), path, nil)
	require.NoError(t, err, "the one that gave up keeps nothing")
	next()
}
