package apiserver_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"strata/internal/kube/apiserver"
)

// The last attempt is cut off by the deadline, so its error says nothing.
func TestRequestThatWasRetriedInVainFailsWithServersReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		attempts := 0
		err := apiserver.Insist(ctx, func(ctx context.Context) error {
			if attempts++; attempts < 3 {
				return errors.New("failed calling webhook")
			}
			<-ctx.Done()
			return ctx.Err()
		})
		require.ErrorContains(t, err, "failed calling webhook")
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestRequestThatSucceedsAtDeadlineHasSucceeded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	attempts := 0
	require.NoError(t, apiserver.Insist(ctx, func(context.Context) error {
		if attempts++; attempts == 1 {
			return errors.New("leader changed")
		}
		cancel()
		return nil
	}))
}
