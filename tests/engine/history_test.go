package engine_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/engine"
	lt "github.com/pulumi/pulumi/pkg/v3/engine/lifecycletest/framework"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"strata/platform"
)

// step is one thing that people do to a stack, or that happens to it.
type step struct {
	what string
	// breaks is how a run ends early, at its action number at; without is true for a run that does not.
	breaks  manner
	at      int
	without bool
}

func (o step) String() string {
	if o.without {
		return o.what
	}
	return fmt.Sprintf("%s %s %d", o.what, o.breaks, o.at)
}

// changes are what people change in the configuration, each once there and once back.
var changes = map[string]func(s *stack, taken bool){
	"label": func(s *stack, taken bool) {
		s.node("agent-1")["labels"] = map[string]any{"taken": fmt.Sprint(taken)}
	},
	"names": func(s *stack, taken bool) {
		s.set("k3s", "tlsSANs", []string{fmt.Sprintf("%v.example.org", taken)})
	},
	"argocd": func(s *stack, taken bool) { s.set("argocd", "enabled", taken) },
}

// history is a stack with what was done to it.
type history struct {
	*stack
	taken map[string]bool
	all   []any
}

func newHistory(t *testing.T, name string) *history {
	h := &history{stack: newStack(t, name), taken: map[string]bool{}}
	h.reality, h.pace = newReality(h.world), 0
	h.adopting()
	h.all = h.config["strata:hosts"]["nodes"].([]any)
	if h.onExistingHosts() {
		for _, name := range h.wanted() {
			h.reality.at(name).there = true
		}
	}
	return h
}

// onExistingHosts is true where no command makes the hosts, or removes them.
func (h *history) onExistingHosts() bool { return h.config["strata:hosts"]["driver"] == "existing" }

// wanted are the nodes that the configuration asks for.
func (h *history) wanted() []string {
	var names []string
	for _, node := range h.config["strata:hosts"]["nodes"].([]any) {
		names = append(names, node.(map[string]any)["name"].(string))
	}
	slices.Sort(names)
	return names
}

// play does one step. A run that is not killed has to end well.
func (h *history) play(one step) error {
	switch one.what {
	case "up":
		return h.ends(engine.Update, one)
	case "destroy":
		return h.ends(engine.Destroy, one)
	case "agent-2":
		if len(h.wanted()) == len(h.all) {
			h.removeNodes("agent-2")
		} else {
			h.set("hosts", "nodes", h.all)
		}
	default:
		h.taken[one.what] = !h.taken[one.what]
		changes[one.what](h.stack, h.taken[one.what])
	}
	return nil
}

func (h *history) ends(op lt.TestOp, one step) error {
	if !one.without {
		h.breaks = &breakOff{manner: one.breaks, after: one.at}
	}
	ended := h.run(op, false)
	brokeOff := h.breaks != nil && h.breaks.met
	h.breaks = nil
	switch {
	case brokeOff:
		return nil
	case ended.err != nil:
		return fmt.Errorf("%s: %w: %v", one, ended.err, ended.errors)
	case one.what == "destroy":
		return h.nothing()
	}
	return h.whole()
}

// whole holds what an up leaves to the configuration and to the state.
func (h *history) whole() error {
	if err := h.reality.judge(h.wanted()); err != nil {
		return err
	}
	stored := map[string]bool{}
	for _, state := range h.snapshot.Resources {
		if object := objectOf(state.URN, state.Inputs); object != "" {
			stored[object] = true
			if !h.here(object) {
				return fmt.Errorf("%s is in the state, and not in the cluster", object)
			}
		}
	}
	for object := range h.objects {
		if !stored[object] {
			return fmt.Errorf("%s is in the cluster, and not in the state", object)
		}
	}
	return nil
}

// nothing holds what a destroy leaves to nothing.
func (h *history) nothing() error {
	if left := h.stored(); len(left) > 0 {
		return fmt.Errorf("a destroy left in the state: %v", left)
	}
	for name, one := range h.reality.hosts {
		if one.token != "" || one.there && !h.onExistingHosts() {
			return fmt.Errorf("a destroy left %s: %+v", name, *one)
		}
	}
	return nil
}

// converges is what must hold after any history: a plain up ends well, a second one has nothing to do, and a destroy leaves nothing.
func (h *history) converges() error {
	if err := h.play(step{what: "up", without: true}); err != nil {
		return err
	}
	again := h.up()
	if changed := again.changed(); again.err != nil || len(changed) > 0 {
		return fmt.Errorf("a second up: %w: %v", again.err, changed)
	}
	return h.play(step{what: "destroy", without: true})
}

// steps draws what is done to a stack.
func steps() *rapid.Generator[[]step] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		one := step{what: rapid.SampledFrom([]string{"up", "destroy", "label", "names", "argocd", "agent-2"}).Draw(t, "what"), without: true}
		if one.what == "up" || one.what == "destroy" {
			one.without = rapid.IntRange(0, 3).Draw(t, "breaks off") == 0
			one.breaks = manner(rapid.IntRange(0, int(manners)-1).Draw(t, "manner"))
			one.at = rapid.IntRange(0, 110).Draw(t, "at")
		}
		return one
	}), 1, 6)
}

// TestEveryHistoryConverges plays HISTORIES random histories for each stack: `make test-chaos`. A failure prints the shortest one that still
// fails, and the seed for -rapid.seed.
func TestEveryHistoryConverges(t *testing.T) {
	histories := os.Getenv("HISTORIES")
	if histories == "" {
		t.Skip("make test-chaos plays histories: a minute for each ten")
	}
	require.NoError(t, flag.Set("rapid.checks", histories))
	require.NoError(t, flag.Set("rapid.nofailfile", "true"))
	for _, name := range []string{"rehearsal", "staging"} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				all := steps().Draw(r, "history")
				h := newHistory(t, name)
				for _, one := range all {
					if err := h.play(one); err != nil {
						r.Fatalf("%v: %v", all, err)
					}
				}
				if err := h.converges(); err != nil {
					r.Fatalf("%v: %v", all, err)
				}
			})
		})
	}
}

// Without the hook that takes over what a killed run has made, the API server refuses it: the checker sees that.
func TestAHistoryThatDoesNotConvergeIsSeen(t *testing.T) {
	h := newHistory(t, "rehearsal")
	h.registers = platform.Run
	require.NoError(t, h.play(step{what: "up", without: true}))
	h.killAt(h.inClusterFrom())
	require.ErrorContains(t, h.converges(), "exists")
}
