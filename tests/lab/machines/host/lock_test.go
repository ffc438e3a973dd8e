package host

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLockHasOneHolderWhileItsFileIsRecreated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "strata/locks/machine-x")
	var wg sync.WaitGroup
	var inside, total atomic.Int32
	for range 8 {
		wg.Go(func() {
			for range 5 {
				unlock, err := lockFile(t.Context(), path)
				if !assert.NoError(t, err) {
					return
				}
				assert.EqualValues(t, 1, inside.Add(1))
				total.Add(1)
				inside.Add(-1)
				unlock()
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, 40, total.Load())
	assert.NoDirExists(t, filepath.Dir(path))
}

func TestLockWaitEndsWithContextAndErrorNamesFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "strata/locks/machine-x")
	unlock, err := lockFile(t.Context(), path)
	require.NoError(t, err)
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 2*lockPoll)
	defer cancel()
	started := time.Now()
	_, err = lockFile(ctx, path)
	require.ErrorContains(t, err, path)
	assert.Less(t, time.Since(started), 5*time.Second)
}
