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
	// commonWeight is the total weight of all machines against a process of this host. Without it,
	// one process would get as much processor time as all machines together. The weight is low
	// enough that the commands of stories, which are such processes, also advance.
	commonWeight = 4
	// aheadWeight is the weight of a machine whose story goes ahead, against machines of other
	// stories.
	aheadWeight = 64
)

// first is held by the story whose machines go ahead.
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
// stories. Such a step counts lost requests, or stops servers while heartbeats decide about
// addresses and leaders. Only one story at a time has such a step.
func (s *stack) ahead(hosts *hostSet, name string, run func(t *testing.T)) {
	s.t.Helper()
	first.Lock()
	defer first.Unlock()
	hosts.weigh(aheadWeight)
	defer hosts.weigh(1)
	s.step(name, run)
}

// weigh sets the weight of a story's machines, including those that are made later.
func (l *hostSet) weigh(times int) {
	l.t.Helper()
	l.weight = times
	for _, n := range l.nodes {
		if err := l.weighOne(n); !errors.Is(err, fs.ErrNotExist) { // a step may have taken a machine away
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
