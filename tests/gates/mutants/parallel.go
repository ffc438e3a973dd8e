package main

import (
	"errors"
	"sync"
)

// workersAtOnce is more than there are processors: some of the tests mostly wait.
const workersAtOnce = 4

// inParallel calls do for each of n, some at a time, and joins the errors.
func inParallel(n int, do func(int) error) error {
	next := make(chan int)
	errs := make([]error, n)
	var workers sync.WaitGroup
	for range workersAtOnce {
		workers.Go(func() {
			for i := range next {
				errs[i] = do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	workers.Wait()
	return errors.Join(errs...)
}
