// Package conflict owns how a change of an object is tried again that met a concurrent one.
package conflict

import (
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
)

// Retry tries a change again while it meets a concurrent one. Its error is the last try's own: at
// the end of a context, retry.RetryOnConflict of client-go up to 0.34 returns nil, as if the change
// had been made.
func Retry(backoff wait.Backoff, change func() error) (err error) {
	_ = retry.RetryOnConflict(backoff, func() error {
		err = change()
		return err
	})
	return err
}
