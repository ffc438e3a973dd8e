package tunnel

import (
	"sync"
	"time"
)

// idle counts the users of a tunnel, and calls a function once there were no users for the duration
// after.
type idle struct {
	after time.Duration
	timer *time.Timer

	mutex sync.Mutex
	count int
	ended bool
}

func newIdle(after time.Duration, end func()) *idle {
	i := &idle{after: after}
	i.timer = time.AfterFunc(after, func() {
		if i.endWith(0) {
			end()
		}
	})
	return i
}

// begin adds a user. It returns false if idle has ended, because no more users are accepted then.
func (i *idle) begin() bool {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	if i.ended {
		return false
	}
	i.count++
	i.timer.Stop()
	return true
}

func (i *idle) done() {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.count--
	if i.count == 0 {
		i.timer.Reset(i.after)
	}
}

// endWith ends idle if it has at most uses users, and reports whether it has ended. begin fails
// from then on.
func (i *idle) endWith(uses int) bool {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.ended = i.ended || i.count <= uses
	return i.ended
}

func (i *idle) uses() int {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return i.count
}
