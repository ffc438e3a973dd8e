package engine_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/engine"
	lt "github.com/pulumi/pulumi/pkg/v3/engine/lifecycletest/framework"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// scene is an operation that is killed before and after each of its actions.
type scene struct {
	name string
	op   lt.TestOp
	// begin prepares a deployed stack for the operation. If begin is nil, the operation is the
	// first update.
	begin func(h *history)
	// ours is true if the scene needs a cluster that the stack creates. machines is true if it also
	// needs virtual machines that the stack creates.
	ours, machines bool
}

var scenes = []scene{
	{name: "up", op: engine.Update},
	{name: "destroy", op: engine.Destroy, begin: func(*history) {}},
	{name: "change", op: engine.Update, begin: func(h *history) {
		pool := h.config["strata:metallb"]["addresses"].([]any)[0].(string)
		h.set("metallb", "addresses", []any{pool[:len(pool)-1] + "1"})
		if root, has := h.config["strata:argocd"]["root"].(section); has {
			root["revision"] = "main"
		} else {
			h.set("argocd", "enabled", h.config["strata:argocd"]["enabled"] == false)
		}
		if !h.reality.existing {
			h.node("agent-1")["labels"] = map[string]any{"a": "b"}
			h.set("k3s", "tlsSANs", []any{"api.example.org"})
			h.set("k3s", "tokenGeneration", 1)
		}
	}},
	{name: "upgrade", op: engine.Update, begin: func(h *history) {
		for _, artifact := range []string{config.ArtifactK3s, config.ArtifactMetalLBChart,
			config.ArtifactCertManagerChart, config.ArtifactTraefikChart} {
			h.newArtifact(artifact)
		}
	}},
	{name: "leave", ours: true, op: engine.Update,
		begin: func(h *history) { h.removeNodes(h.wanted()[0]) }},
	{name: "recreate", machines: true, op: engine.Update, begin: func(h *history) {
		h.node("agent-1")["recreate"] = "disk-broken"
	}},
}

// plays reports whether a scene applies to a stack.
func (c scene) plays(h *history) bool {
	return !(c.ours && h.reality.existing || c.machines &&
		(h.reality.existing || h.onExistingHosts()))
}

// killed has the state and the simulated hosts and cluster after a kill.
type killed struct {
	at       string
	snapshot *deploy.Snapshot
	reality  *reality
}

// kills runs an operation without interruption, and returns the result of a kill before and after
// each action. Parallel actions have the effects that they have had in this run. Kills with the
// same result count once.
func (h *history) kills(op lt.TestOp) ([]killed, error) {
	var all []killed
	var wrong error
	last, entries := "", -1
	h.watch = func(when, verb, name string) {
		is, written := h.reality.fingerprint(), len(h.journal.written())
		if is == last && written == entries || wrong != nil {
			return
		}
		last, entries = is, written
		one := killed{at: when + " " + verb + " of " + name, reality: h.reality.clone()}
		one.snapshot, wrong = h.journal.now()
		all = append(all, one)
	}
	ended := h.run(op, false)
	h.watch = nil
	if wrong == nil && ended.err != nil {
		wrong = fmt.Errorf("undisturbed: %w: %v", ended.err, ended.errors)
	}
	return all, wrong
}

// survives checks the steps that must succeed after a kill: the same command again, an update
// without changes, and a destroy that leaves nothing. If the stack created the cluster, an update
// must also succeed after a killed destroy.
func (h *history) survives(one killed, destroys bool) error {
	h.from(one)
	if destroys {
		err := h.play(step{what: "destroy", without: true})
		if err != nil || h.reality.existing {
			return err
		}
		h.from(one)
	}
	err := h.converges()
	if err != nil && h.reality.existing && refusedAsThere.MatchString(err.Error()) {
		h.recover()
		err = h.converges()
	}
	return err
}

// refusedAsThere matches the errors for an object or a release that a kill left in an existing
// cluster.
var refusedAsThere = regexp.MustCompile(`already exists|cannot re-use a name`)

// recover acts like `strata repair`, which an existing cluster needs after these errors
// (docs/adr/0023). It deletes releases that the state lacks, and lets the next update adopt
// existing objects.
func (h *history) recover() {
	known := map[string]bool{}
	for _, state := range h.snapshot.Resources {
		known[objectOf(state.URN, state.Inputs)] = true
	}
	for object := range maps.Clone(h.objects) {
		if strings.HasPrefix(object, releaseType) && !known[object] {
			h.gone(object)
		}
	}
	h.snapshot.PendingOperations = nil
	h.upserts = true
}

// from sets the stack to the result of a kill.
func (h *history) from(one killed) {
	h.snapshot, h.upserts = one.snapshot, false
	h.becomes(one.reality.clone())
}

// TestUpdateConvergesAfterEveryKill kills each operation of each stack before and after each action. KILLS is
// the number of kills for a stack (0 means all), and SEED selects them.
func TestUpdateConvergesAfterEveryKill(t *testing.T) {
	sample, seed := number(t, "KILLS", 12), number(t, "SEED", 1)
	t.Logf("KILLS=%d (0 is all) SEED=%d", sample, seed)
	for _, name := range []string{"local", "staging", "rehearsal", "proxmox", "libvirt", "kind", "vip",
		"vault", "workload"} {
		t.Run(name, func(t *testing.T) {
			count := &counted{t: t, name: name}
			for i, scene := range scenes {
				t.Run(scene.name, func(t *testing.T) {
					h := newHistory(t, name)
					if !scene.plays(h) {
						t.Skip("this stack has none")
					}
					all := h.scene(scene)
					if sample > 0 {
						random := rand.New(rand.NewPCG(uint64(seed), uint64(i))) // not a secret
						random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
						all = all[:min(len(all), max(1, sample/len(scenes)))]
					}
					for _, one := range all {
						err := h.survives(one, scene.name == "destroy")
						count.kill(err)
						if err != nil {
							t.Errorf("killed %s: %v", one.at, err)
						}
					}
					t.Logf("%d kills", len(all))
				})
			}
			count.write(0)
		})
	}
}

// scene prepares the stack for a scene, and returns the results of its kills.
func (h *history) scene(one scene) []killed {
	if one.begin != nil {
		up := h.up()
		require.NoError(h.t, up.err, up.errors)
		one.begin(h)
	}
	all, err := h.kills(one.op)
	require.NoError(h.t, err)
	return slices.Clip(all)
}

// number returns the number in an environment variable, or otherwise if it is not set.
func number(t *testing.T, variable string, otherwise int) int {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	value, err := strconv.Atoi(text)
	require.NoError(t, err, variable)
	return value
}
