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
	// commonWeight is the processor weight of all machines together, relative to one process of
	// this host. By default, all machines would get only as much time as one process. With a higher
	// weight, the commands of stories, which are such processes, would hardly progress.
	commonWeight = 4
	// aheadWeight is the weight of a machine during a step that ahead runs, relative to machines of
	// other stories.
	aheadWeight = 64
)

// first is the lock that allows only one story at a time to run a step by ahead.
var first sync.Mutex

// step runs one step of a story. If the step fails, the story ends, because later steps depend on
// it.
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
// stories. It is for steps that count lost requests, or stop servers while heartbeats decide about
// addresses and leaders. Only one story at a time runs such a step.
func (s *stack) ahead(hosts *hostSet, name string, run func(t *testing.T)) {
	s.t.Helper()
	first.Lock()
	defer first.Unlock()
	hosts.weigh(aheadWeight)
	defer hosts.weigh(1)
	s.step(name, run)
}

// weigh sets the processor weight of a story's machines, including those created later.
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
