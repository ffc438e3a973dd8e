package lockfile_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/lockfile"
)

func TestSecondLockWaitsUntilFirstIsReleased(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dir", "lock")
	unlock, err := lockfile.Lock(t.Context(), path, nil)
	require.NoError(t, err)

	waits, got := make(chan struct{}), make(chan error, 1)
	go func() {
		second, err := lockfile.Lock(t.Context(), path, func() { close(waits) })
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
	unlock, err := lockfile.Lock(t.Context(), path, nil)
	require.NoError(t, err)
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	_, err = lockfile.Lock(ctx, path, cancel)
	assert.ErrorIs(t, err, context.Canceled)
}
