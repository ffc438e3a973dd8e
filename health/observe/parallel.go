package observe

import (
	"cmp"
	"sync"
)

// InParallel runs the parts of an observation beside one another, and returns the error of the
// first in their order that has one, so that the same trouble always has the same words.
func InParallel(parts ...func() error) error {
	errs := make([]error, len(parts))
	var running sync.WaitGroup
	for i, part := range parts {
		running.Go(func() { errs[i] = part() })
	}
	running.Wait()
	return cmp.Or(errs...)
}
