// Package conflict retries the change of an object after a conflict with a concurrent change.
package conflict

import (
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
)

// Retry repeats a change as long as it conflicts with a concurrent one. Its error is that of the
// last try. retry.RetryOnConflict of client-go (0.36) returns nil at the end of a context, as if
// the change had been made.
func Retry(backoff wait.Backoff, change func() error) (err error) {
	_ = retry.RetryOnConflict(backoff, func() error {
		err = change()
		return err
	})
	return err
}
