package apiserver

import (
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
)

// OnConflict tries a change again while it meets a concurrent one. Its error is the last try's own: where that is the end of a context,
// retry.RetryOnConflict of client-go up to 0.34 returns nil, as if the change had been made.
func OnConflict(backoff wait.Backoff, change func() error) (err error) {
	_ = retry.RetryOnConflict(backoff, func() error {
		err = change()
		return err
	})
	return err
}
