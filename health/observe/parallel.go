package observe

import (
	"cmp"
	"sync"
)

// InParallel runs the parts of an observation at the same time. It returns the error of the first
// failed part in the order of parts, so that the same fault always has the same message.
func InParallel(parts ...func() error) error {
	errs := make([]error, len(parts))
	var running sync.WaitGroup
	for i, part := range parts {
		running.Go(func() { errs[i] = part() })
	}
	running.Wait()
	return cmp.Or(errs...)
}
