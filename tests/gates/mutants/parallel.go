package main

import (
	"errors"
	"sync"
	"sync/atomic"
)

// workersAtOnce exceeds the number of processors, because some tests mostly wait.
const workersAtOnce = 4

// inParallel calls do for 0 to n-1, some of them at a time, until a call fails.
func inParallel(n int, do func(int) error) error {
	next := make(chan int)
	errs := make([]error, n)
	var failed atomic.Bool
	var workers sync.WaitGroup
	for range workersAtOnce {
		workers.Go(func() {
			for i := range next {
				if failed.Load() {
					continue
				}
				if errs[i] = do(i); errs[i] != nil {
					failed.Store(true)
				}
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
