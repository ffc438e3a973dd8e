package apiserver

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// askAgain is the time between two attempts at a request that an API server could not answer.
const askAgain = 500 * time.Millisecond

// Insist retries a request until an API server answers it. While etcd has no leader, every request
// fails with an error of the server ("etcdserver: leader changed"). A request to a server that is
// shutting down fails as well. A request that the server refuses is not retried.
func Insist(ctx context.Context, request func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, askAgain, true,
		func(ctx context.Context) (bool, error) {
			answer := request(ctx)
			// An attempt that the deadline cuts off does not say why those before it failed.
			if answer == nil || last == nil || ctx.Err() == nil {
				last = answer
			}
			return !isRetryable(answer), nil
		})
	if err != nil {
		return errors.Join(err, last)
	}
	return last
}

// Ask returns the answer to a request, which it retries as Insist does.
func Ask[T any](
	ctx context.Context, request func(context.Context) (T, error),
) (answer T, err error) {
	err = Insist(ctx, func(ctx context.Context) (err error) {
		answer, err = request(ctx)
		return err
	})
	return answer, err
}

// isRetryable reports whether a request failed because the server did not answer or was unable to,
// so that a retry may succeed.
func isRetryable(err error) bool {
	if err == nil {
		return false
	}
	status := apierrors.APIStatus(nil)
	if !errors.As(err, &status) {
		return true
	}
	return status.Status().Code >= 500 || apierrors.IsTooManyRequests(err)
}

// Causes returns the causes that an API server's refusal lists; nil for other errors.
func Causes(err error) []metav1.StatusCause {
	var status *apierrors.StatusError
	if !errors.As(err, &status) || status.ErrStatus.Details == nil {
		return nil
	}
	return status.ErrStatus.Details.Causes
}
