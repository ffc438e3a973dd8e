package apiserver

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
)

// askAgain is the time between two attempts at a request that an API server could not answer.
const askAgain = 500 * time.Millisecond

// Insist repeats a request until an API server answers it. While etcd has no leader, every request
// fails with an error of the server ("etcdserver: leader changed"). A request to a server that
// stops fails too. A refused request is not repeated.
func Insist(ctx context.Context, request func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, askAgain, true,
		func(ctx context.Context) (bool, error) {
			last = request(ctx)
			return !isRetryable(last), nil
		})
	if err != nil {
		return errors.Join(err, last)
	}
	return last
}

// isRetryable reports whether an error is not the request's own fault: there was no answer, or the
// server could not give one.
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
