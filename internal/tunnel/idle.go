package tunnel

import (
	"sync"
	"time"
)

// idle calls a function once nothing has been in use for a time.
type idle struct {
	after time.Duration
	timer *time.Timer

	mutex sync.Mutex
	count int
}

func newIdle(after time.Duration, end func()) *idle {
	i := &idle{after: after}
	i.timer = time.AfterFunc(after, func() {
		if i.uses() == 0 {
			end()
		}
	})
	return i
}

func (i *idle) begin() { i.change(1) }
func (i *idle) done()  { i.change(-1) }

func (i *idle) change(by int) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.count += by
	if i.count == 0 {
		i.timer.Reset(i.after)
	} else {
		i.timer.Stop()
	}
}

func (i *idle) uses() int {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return i.count
}
