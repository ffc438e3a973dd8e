package k3shost

import (
	"errors"
	"sync"
)

// ForEach calls do for all hosts in parallel, and joins their errors in the order of hosts. i is the
// host's index.
func ForEach[H any](hosts []H, do func(i int, host H) error) error {
	failures := make([]error, len(hosts))
	var all sync.WaitGroup
	for i, host := range hosts {
		all.Go(func() { failures[i] = do(i, host) })
	}
	all.Wait()
	return errors.Join(failures...)
}
