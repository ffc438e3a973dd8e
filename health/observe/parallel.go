package observe

import (
	"cmp"
	"sync"
)

// InParallel runs the parts of an observation beside one another. It returns the error of the first
// part, in their order, that fails, so that the same fault always has the same words.
func InParallel(parts ...func() error) error {
	errs := make([]error, len(parts))
	var running sync.WaitGroup
	for i, part := range parts {
		running.Go(func() { errs[i] = part() })
	}
	running.Wait()
	return cmp.Or(errs...)
}
