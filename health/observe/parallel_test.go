package observe

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestInParallelRunsAllAndReturnsFirstError(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	first, second := make(chan struct{}), make(chan struct{})
	meet := func(mine, other chan struct{}, err error) func() error {
		return func() error {
			close(mine)
			select {
			case <-other:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	want := errors.New("the first")
	require.Equal(t, want, InParallel(meet(first, second, want),
		meet(second, first, errors.New("the second"))))
	require.NoError(t, InParallel())
}
