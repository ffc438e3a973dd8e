package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/engine"
	lt "github.com/pulumi/pulumi/pkg/v3/engine/lifecycletest/framework"
	"pgregory.net/rapid"

	"strata/config"
)

// Histories have no events that the fake providers cannot represent: concurrent updates, which the
// backend's lock prevents, a lost quorum, and fields edited outside Pulumi, for which the real
// provider has its own rules.

// step is a run of Pulumi, a change of the configuration, or an event outside Pulumi.
type step struct {
	what string
	// breaks is the manner of the interruption, and at is the number of the interrupted action.
	// without is true for a run without an interruption.
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

// changes are changes of the configuration by a user. The second use of a change reverts it.
var changes = map[string]func(s *stack, taken bool){
	"label": func(s *stack, taken bool) {
		s.node("agent-1")["labels"] = map[string]any{"taken": fmt.Sprint(taken)}
	},
	"names": func(s *stack, taken bool) {
		s.set("k3s", "tlsSANs", []string{fmt.Sprintf("%v.example.org", taken)})
	},
	"argocd": func(s *stack, taken bool) { s.set("argocd", "enabled", taken) },
	"pool": func(s *stack, taken bool) {
		pool := s.config["strata:metallb"]["addresses"].([]any)[0].(string)
		s.set("metallb", "addresses", []any{fmt.Sprintf("%s%d", pool[:len(pool)-1],
			map[bool]int{true: 1}[taken])})
	},
}

// history is a stack, with the changes and events that it has had so far.
type history struct {
	*stack
	taken map[string]bool
	all   []any
	// left are the nodes that were removed from the configuration.
	left []string
	// lost counts losses and replacements of agent-1's host; an odd number means no host.
	lost int
	// adrift is true if objects were deleted outside Pulumi, or changed by a restore. An update
	// without refresh does not notice such changes.
	adrift bool
	// refreshed is true after a run with a refresh. looked has the time of each resource's last
	// write before that run.
	refreshed bool
	looked    map[string]int
	// kept is the last snapshot of the cluster.
	kept *reality
}

func newHistory(t *testing.T, name string) *history {
	committed, tweak := name, variants[name].tweak
	if tweak != nil {
		committed = variants[name].committed
	}
	h := &history{stack: newStack(t, committed), taken: map[string]bool{}, looked: map[string]int{}}
	if tweak != nil {
		tweak(h.stack)
	}
	h.reality, h.pace, h.quick = newReality(h.world), 0, true
	h.reality.founded = func() bool {
		past, err := h.past(t.Context(), name)
		return err != nil || past.Cluster
	}
	h.adopting()
	if h.config["strata:cluster"] != nil {
		h.reality.existing = true
		return h
	}
	h.all = h.config["strata:hosts"]["nodes"].([]any)
	if h.onExistingHosts() {
		for _, name := range h.wanted() {
			h.reality.at(name).there = true
		}
	}
	return h
}

// onExistingHosts reports whether the stack uses existing hosts, and creates no machines.
func (h *history) onExistingHosts() bool { return h.config["strata:hosts"]["driver"] == "existing" }

// wanted returns the names of the configured nodes.
func (h *history) wanted() []string {
	var names []string
	if h.reality.existing {
		return nil
	}
	for _, node := range h.config["strata:hosts"]["nodes"].([]any) {
		names = append(names, node.(map[string]any)["name"].(string))
	}
	slices.Sort(names)
	return names
}

// play runs one step. It returns an error if a run without an interruption fails.
func (h *history) play(one step) error {
	switch one.what {
	case "up", "refresh":
		return h.ends(engine.Update, one)
	case "destroy":
		return h.ends(engine.Destroy, one)
	case "agent-2", "servers":
		return h.toggle(map[string][]string{"agent-2": {"agent-2"},
			"servers": {"server-2", "server-3"}}[one.what])
	case "upgrade":
		h.newArtifact(config.ArtifactK3s)
		h.newArtifact(config.ArtifactMetalLBChart)
	case "lose":
		h.loseOrRepair()
	case "kubectl":
		h.deleteBeneath(one.at)
	case "snapshot":
		h.kept = h.reality.clone()
	case "restore":
		h.restore()
	default:
		h.taken[one.what] = !h.taken[one.what]
		changes[one.what](h.stack, h.taken[one.what])
	}
	return nil
}

// toggle removes nodes from the configuration or, at the next call, adds them again.
func (h *history) toggle(names []string) error {
	if slices.Contains(h.left, names[0]) {
		h.left = slices.DeleteFunc(h.left,
			func(name string) bool { return slices.Contains(names, name) })
	} else {
		h.left = append(h.left, names...)
	}
	h.set("hosts", "nodes", h.all)
	h.removeNodes(h.left...)
	return nil
}

func (h *history) ends(op lt.TestOp, one step) error {
	if !one.without {
		h.breaks = &breakOff{manner: one.breaks, after: one.at}
	}
	h.refreshes = one.what == "refresh"
	h.refreshed = h.refreshed || h.refreshes
	away := h.away()
	ended := h.run(op, false)
	brokeOff := h.breaks != nil && h.breaks.met
	h.breaks, h.refreshes = nil, false
	if told := h.told(ended); told != nil {
		return fmt.Errorf("%s: %w", one, told)
	}
	switch {
	case brokeOff:
		return nil
	case ended.err != nil && away && strings.Contains(fmt.Sprint(ended.err), lostNode):
		return nil // the error names the lost host
	case ended.err != nil:
		return fmt.Errorf("%s: %w: %v", one, ended.err, ended.errors)
	case one.what == "destroy":
		return h.nothing()
	case h.away():
		return nil
	case one.what == "refresh":
		h.adrift = false
	}
	err := h.whole()
	h.refreshed = false
	return err
}

// told returns an error if the messages of a run contain a secret.
func (h *history) told(ended *result) error {
	for _, secret := range secrets {
		if strings.Contains(fmt.Sprint(ended.err, ended.errors), secret) {
			return fmt.Errorf("a secret is in what was said: %v", ended.errors)
		}
	}
	return nil
}

// converges checks the results that must follow any history. First, a lost host is replaced. An
// update must succeed, with a refresh after changes outside Pulumi. A second one must change
// nothing, and a destroy must leave nothing.
func (h *history) converges() error {
	if h.lost%2 == 1 {
		h.loseOrRepair()
	}
	up := step{what: "up", without: true}
	if h.adrift {
		up.what = "refresh"
	}
	if err := h.play(up); err != nil {
		return err
	}
	again := h.up()
	if changed := again.changed(); again.err != nil || len(changed) > 0 {
		return fmt.Errorf("a second up: %w: %v", again.err, changed)
	}
	return h.play(step{what: "destroy", without: true})
}

// done has the steps from which histories are drawn. Updates occur more often than others.
var done = []string{
	"up", "up", "up", "up", "up", "up", "destroy", "refresh", "label", "names", "argocd", "pool",
	"agent-2", "servers", "upgrade", "lose", "kubectl", "snapshot", "restore",
}

// boundaries is a prime number above the number of actions of any run.
const boundaries = 241

// steps generates random histories.
func steps() *rapid.Generator[[]step] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		one := step{what: rapid.SampledFrom(done).Draw(t, "what"), without: true}
		if runs := one.what == "up" || one.what == "destroy" || one.what == "refresh"; runs {
			one.without = rapid.IntRange(0, 3).Draw(t, "breaks off") == 0
			one.breaks = manner(rapid.IntRange(0, manners-1).Draw(t, "manner"))
		}
		if !one.without || one.what == "kubectl" {
			// Rapid draws small numbers far more often than large ones, and an update starts with
			// hosts. So the number is multiplied, which spreads interruptions over all layers.
			one.at = rapid.IntRange(0, boundaries-1).Draw(t, "at") * 89 % boundaries
		}
		return one
	}), 1, 8)
}

// played plays a history and checks the results that must follow it.
func (h *history) played(all []step) error {
	for _, one := range all {
		if err := h.play(one); err != nil {
			return err
		}
	}
	return h.converges()
}

// TestEveryHistoryConverges plays HISTORIES random histories for each stack; SEED selects them. A
// failure prints a shortened history that still fails.
func TestEveryHistoryConverges(t *testing.T) {
	histories, seed := number(t, "HISTORIES", 10), number(t, "SEED", 1)
	t.Logf("HISTORIES=%d SEED=%d", histories, seed)
	configured(t, histories, seed)
	for _, name := range []string{"proxmox", "staging"} {
		t.Run(name, func(t *testing.T) {
			count := &counted{t: t, name: name}
			defer count.write(0)
			fails := func(all []step) error { return newHistory(t, name).played(all) }
			found := false
			rapid.Check(t, func(r *rapid.T) {
				all := steps().Draw(r, "history")
				if found {
					r.Fatal("it is found")
				}
				err := fails(all)
				count.history(err)
				if found = err != nil; found {
					all, err = shorter(all, err, fails)
					t.Errorf("%v: %v", all, err)
					r.Fatal("found")
				}
			})
		})
	}
}
