package engine_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"strata/platform"
	"strata/tests/pulumitest"
)

// standIn is a testing.T whose failure is recorded and does not fail the test.
type standIn struct {
	*testing.T
	failed bool
}

func (s *standIn) Failed() bool          { return s.failed }
func (s *standIn) Fail()                 { s.failed = true }
func (s *standIn) FailNow()              { s.failed = true; runtime.Goexit() }
func (s *standIn) Errorf(string, ...any) { s.failed = true }
func (s *standIn) Error(...any)          { s.failed = true }
func (s *standIn) Fatalf(string, ...any) { s.FailNow() }
func (s *standIn) Fatal(...any)          { s.FailNow() }
func (s *standIn) Logf(string, ...any)   {}
func (s *standIn) Log(...any)            {}
func (s *standIn) Skipf(string, ...any)  {}
func (s *standIn) Skip(...any)           {}

// shortest plants a fault, and returns a shortened history that fails because of it, with its
// error.
func shortest(t *testing.T, stack string, plant func(h *history)) (last []step, how error) {
	t.Helper()
	fails := func(all []step) error {
		h := newHistory(t, stack)
		plant(h)
		return h.played(all)
	}
	// The check ends with the first failure. In one of thirty histories, the kill comes at the
	// action that shows the fault.
	configured(t, 600, 1)
	stage, ended := &standIn{T: t}, make(chan struct{})
	go func() { // a failure ends the goroutine
		defer close(ended)
		rapid.Check(stage, func(r *rapid.T) {
			all := steps().Draw(r, "history")
			if last != nil {
				r.Fatal("it is found")
			}
			if how = fails(all); how != nil {
				last = all
				r.Fatal("found")
			}
		})
	}()
	<-ended
	require.True(t, stage.failed, "nothing was found")
	last, how = shorter(last, how, fails)
	t.Logf("%v: %v", last, how)
	return last, how
}

// shorter removes steps one after the other, as long as the history still fails. It tries each
// history twice, because parallel actions make runs irreproducible, where rapid's own shrinking
// gives up.
func shorter(all []step, how error, fails func(all []step) error) ([]step, error) {
	for i := 0; i < len(all); {
		fewer := slices.Delete(slices.Clone(all), i, i+1)
		err := fails(fewer)
		if err == nil {
			err = fails(fewer)
		}
		if err == nil {
			i++
			continue
		}
		all, how = fewer, err
	}
	return all, how
}

// configured sets rapid's flags for the number of histories and the seed.
func configured(t *testing.T, histories, seed int) {
	t.Helper()
	for name, value := range map[string]any{"checks": histories, "seed": seed, "nofailfile": true, "shrinktime": "0s"} {
		require.NoError(t, flag.Set("rapid."+name, fmt.Sprint(value)))
	}
}

// ignoring returns a program in which one resource has ignoreChanges for its input stdin.
func ignoring(program pulumi.RunFunc, resource string) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		err := ctx.RegisterStackTransformation(
			func(args *pulumi.ResourceTransformationArgs) *pulumi.ResourceTransformationResult {
				if args.Name != resource {
					return nil
				}
				return &pulumi.ResourceTransformationResult{Props: args.Props,
					Opts: append(args.Opts, pulumi.IgnoreChanges([]string{"stdin"}))}
			})
		return errors.Join(err, program(ctx))
	}
}

// Histories must find planted faults and shorten the histories that fail. Otherwise a success would
// prove nothing.
func TestHistoriesFindAndShrinkPlantedFaults(t *testing.T) {
	if os.Getenv("HISTORIES") == "" {
		t.Skip("takes minutes: `make test-chaos`; TestEachBrokenInvariantIsReported is shorter")
	}
	for name, one := range map[string]struct {
		plant func(h *history)
		most  int // the most steps of 8; parallel actions may run in another order
		how   string
	}{
		"no hook takes over what a kill has left": {func(h *history) {
			h.registers = platform.Run
		}, 5, "already exists|cannot re-use a name"},
		"a gate opens falsely over a node that left": {func(h *history) {
			h.reality.blind = true
		}, 2, "the cluster has the nodes"},
		"a gate does not run again": {func(h *history) {
			h.registers = ignoring(h.registers, "k3s-server-1-gate")
		}, 3, "k3s-server-1-gate stands open"},
	} {
		t.Run(name, func(t *testing.T) {
			last, how := shortest(t, "proxmox", one.plant)
			assert.LessOrEqual(t, len(last), one.most, "%v", last)
			assert.Regexp(t, one.how, how.Error())
		})
	}
}

// The check after a run must report each broken invariant.
func TestEachBrokenInvariantIsReported(t *testing.T) {
	h := newHistory(t, "proxmox")
	require.NoError(t, h.play(step{what: "up", without: true}))
	sound, state := h.reality.clone(), h.snapshot
	release := "kubernetes:helm.sh/v3:Release metallb-system/metallb"
	require.True(t, h.here(release))
	for want, breaks := range map[string]func(r *reality){
		"the cluster has the nodes": func(r *reality) { delete(r.nodes, "agent-1") },
		"agent-1: K3s is not ready": func(r *reality) {
			r.at("agent-1").there = false
		},
		"server-2: K3s is not ready": func(r *reality) { r.at("server-2").cluster = 7 },
		"agent-1 is marked as leaving": func(r *reality) {
			r.at("agent-1").leaving = true
		},
		"agent-3 is there, and without an owner": func(r *reality) { r.at("agent-3").there = true },
		"agent-4 has left and has K3s": func(r *reality) {
			r.at("agent-4").token = "any"
		},
		"server-1 runs K3s old": func(r *reality) {
			r.at("server-1").running = "old"
		},
		"server-1 has another configuratio": func(r *reality) {
			r.at("server-1").config = "old"
		},
		"in the state, and not in the clus": func(r *reality) { delete(r.objects, release) },
		"in the cluster, and not in the st": func(r *reality) { r.objects["a/b"] = true },
		"is another in the cluster than in": func(r *reality) {
			r.content[release] = resource.PropertyMap{}
		},
	} {
		h.becomes(sound.clone())
		breaks(h.reality)
		assert.ErrorContains(t, h.whole(), want)
	}
	h.becomes(sound.clone())
	require.NoError(t, h.whole())
	h.written["metallb-webhook"] = 0
	assert.ErrorContains(t, h.whole(), "metallb-webhook stands open since before metallb-release")
	h.written["metallb-webhook"] = h.clock
	first := h.snapshot.Resources[0]
	first.Inputs = maps.Clone(first.Inputs)
	if first.Inputs == nil {
		first.Inputs = resource.PropertyMap{}
	}
	first.Inputs["said"] = resource.NewProperty("it is " + pulumitest.Token)
	assert.ErrorContains(t, h.whole(), "in plain")
	delete(first.Inputs, "said")
	assert.ErrorContains(t, h.told(&result{errors: map[string]string{"": pulumitest.Token}}),
		"secret")
	assert.ErrorContains(t, h.nothing(), "left in the state")
	h.snapshot = nil
	assert.ErrorContains(t, h.nothing(), "a destroy left")
	h.snapshot = state
	require.NoError(t, h.whole())
}
