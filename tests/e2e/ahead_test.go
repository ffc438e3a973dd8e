package e2e

import (
	"errors"
	"io/fs"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"strata/tests/lab/machines/cgroup"
)

const (
	// commonWeight is the total weight of all machines relative to one process of this host.
	// Without it, one process would get as much processor time as all machines together. It is low
	// enough that the commands of stories, which are such processes, still progress.
	commonWeight = 4
	// aheadWeight is the weight of a machine during a step of ahead, relative to machines of other
	// stories.
	aheadWeight = 64
)

// first is locked by the story that runs a step of ahead.
var first sync.Mutex

// step runs one step of a story. If it fails, the remaining steps do not run, because they depend
// on it.
func (s *stack) step(name string, run func(t *testing.T)) {
	s.t.Helper()
	whole := s.t
	passed := whole.Run(name, func(t *testing.T) {
		s.t = t
		defer func() { s.t = whole }()
		run(t)
	})
	if !passed {
		whole.FailNow()
	}
}

// ahead runs a step during which the story's machines get processor time before those of other
// stories. Steps need this if they count lost requests, or stop servers while heartbeats decide
// about addresses and leaders. Only one story at a time runs such a step.
func (s *stack) ahead(hosts *hostSet, name string, run func(t *testing.T)) {
	s.t.Helper()
	first.Lock()
	defer first.Unlock()
	hosts.weigh(aheadWeight)
	defer hosts.weigh(1)
	s.step(name, run)
}

// weigh sets the weight of a story's machines, including machines that are created later.
func (l *hostSet) weigh(times int) {
	l.t.Helper()
	l.weight = times
	for _, n := range l.nodes {
		if err := l.weighOne(n); !errors.Is(err, fs.ErrNotExist) { // a step deleted it
			require.NoError(l.t, err)
		}
	}
}

func (l *hostSet) weighOne(n node) error {
	if err := cgroup.SetCommonWeight(commonWeight); err != nil {
		return err
	}
	return cgroup.SetWeight(l.machine(n.name), max(l.weight, 1))
}
