package e2e

import (
	"strings"
	"sync"
	"testing"
)

// machine is what all stories run on. A step that counts lost requests, or takes servers down while addresses and
// leaders are held by heartbeats, has it for itself; all other steps share it.
var machine sync.RWMutex

// step runs one step of a story; the steps after it are meaningless when it fails. A step within another runs as that one does.
func (s *stack) step(name string, run func(t *testing.T)) {
	s.t.Helper()
	s.holding(machine.RLocker(), name, run)
}

// alone runs a step while no other story has one running.
func (s *stack) alone(name string, run func(t *testing.T)) {
	s.t.Helper()
	s.holding(&machine, name, run)
}

func (s *stack) holding(share sync.Locker, name string, run func(t *testing.T)) {
	s.t.Helper()
	whole := s.t
	if within := strings.Contains(whole.Name(), "/"); !within {
		share.Lock()
		defer share.Unlock()
	}
	passed := whole.Run(name, func(t *testing.T) {
		s.t = t
		defer func() { s.t = whole }()
		run(t)
	})
	if !passed {
		whole.FailNow()
	}
}
