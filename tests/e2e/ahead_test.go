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
	// commonWeight is the weight of all machines together beside a process of this host, which
	// would otherwise get as much processor time as all of them. The commands of stories are such
	// processes, and must advance, too.
	commonWeight = 4
	// aheadWeight is the weight of a machine that goes ahead beside another story's.
	aheadWeight = 64
)

// first is held by the story whose machines go ahead.
var first sync.Mutex

// step runs one step of a story; the steps after it are meaningless when it fails.
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

// ahead runs a step that counts lost requests, or takes servers down while addresses and leaders
// are held by heartbeats: its machines get processor time before those of other stories. One story
// at a time has such a step.
func (s *stack) ahead(hosts *hostSet, name string, run func(t *testing.T)) {
	s.t.Helper()
	first.Lock()
	defer first.Unlock()
	hosts.weigh(aheadWeight)
	defer hosts.weigh(1)
	s.step(name, run)
}

// weigh gives a weight to a story's machines, present and future ones.
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
