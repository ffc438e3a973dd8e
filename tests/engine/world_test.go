// Package engine_test runs the real program in Pulumi's real engine, in this process, with fake
// providers. It checks properties that neither mocks nor the lab can show: the order of actions,
// the state after a failure, the steps of a preview, and the deletes that a destroy skips.
package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// action is a change of one resource that the engine requested from a provider, except in previews.
type action struct {
	// verb is create, update or delete.
	verb string
	name string
	// start and end are positions in the order of all starts and ends of actions.
	start, end int
	// empty is true for a delete that does nothing.
	empty bool
}

// world is the common state of the fake providers. It records actions, and makes some fail.
type world struct {
	mutex   sync.Mutex
	clock   int
	actions actions
	failing map[string]bool // "verb name"
	// objects are the objects that the API server has.
	objects map[string]bool
	// pace is the duration of each action; zero for none.
	pace time.Duration
	// reality has the effects of the actions. Without it, all actions succeed. Optional.
	reality *reality
	// breaks interrupts the run at one of its actions. Optional.
	breaks *breakOff
	// watch is called before and after each action's effect, with the mutex held. Optional.
	watch func(when, verb, name string)
	// refuses is called before the effect of each action. Its error fails the action. Optional.
	refuses func(verb string, inputs resource.PropertyMap) error
	// upserts makes the Kubernetes provider adopt existing objects, as `strata repair` requests.
	upserts bool
	// written has the time of each resource's last create or update, by the counter clock.
	written map[string]int
	texts   map[string]string
}

// newWorld returns a world with a pace that lets parallel actions overlap in short runs.
func newWorld() *world {
	return &world{failing: map[string]bool{}, objects: map[string]bool{}, written: map[string]int{},
		texts: map[string]string{}, pace: 2 * time.Millisecond}
}

// fail makes an action fail from now on. heal ends that.
func (w *world) fail(verb, name string) { w.set(verb, name, true) }
func (w *world) heal(verb, name string) { w.set(verb, name, false) }

func (w *world) set(verb, name string, fails bool) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.failing[verb+" "+name] = fails
}

// do records an action, which takes pace. Then the action fails if a test has requested that, and
// otherwise has its effect.
func (w *world) do(
	verb string, urn resource.URN, inputs resource.PropertyMap, effect func() error,
) error {
	w.mutex.Lock()
	index := len(w.actions)
	w.actions = append(w.actions, action{verb: verb, name: urn.Name(), start: w.tick(), end: -1})
	w.mutex.Unlock()
	time.Sleep(w.pace)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.failing[verb+" "+urn.Name()] {
		return fmt.Errorf("%s of %s: made to fail", verb, urn.Name())
	}
	if w.refuses != nil {
		if err := w.refuses(verb, inputs); err != nil {
			return err
		}
	}
	if err := w.breaks.before(); err != nil {
		return err
	}
	if w.watch != nil {
		w.watch("before", verb, urn.Name())
		defer func() { w.watch("behind", verb, urn.Name()) }()
	}
	if w.reality != nil {
		if err := w.reality.do(verb, urn, inputs); err != nil {
			return fmt.Errorf("%s of %s: %w", verb, urn.Name(), err)
		}
	}
	if err := effect(); err != nil {
		return err
	}
	if err := w.breaks.behind(); err != nil {
		return err
	}
	w.actions[index].end = w.tick()
	w.noted(verb, urn.Name(), inputs)
	return nil
}

// noted records the inputs of a written resource. It records the time of a create, and of an update
// if inputs other than connection and environment have changed.
func (w *world) noted(verb, name string, inputs resource.PropertyMap) {
	inputs = maps.Clone(inputs)
	delete(inputs, "connection")
	delete(inputs, "environment")
	text := revealed(inputs)
	if verb == "create" || text != w.texts[name] {
		w.written[name] = w.clock
	}
	w.texts[name] = text
}

// tick advances the counter clock and returns it. The caller must hold the mutex.
func (w *world) tick() int {
	w.clock++
	return w.clock
}

// take returns the actions since its last call, in order of their start. It omits deletes of
// commands that are only replaced to run again (internal/pulumi/rerun).
func (w *world) take() actions {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	taken := w.actions
	w.actions = nil
	return slices.DeleteFunc(slices.Clone(taken), func(one action) bool {
		return one.empty && taken.find("create", one.name) != nil
	})
}

// forgotten marks the last delete of a resource as empty, because the resource has no delete
// action.
func (w *world) forgotten(name string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for i := range w.actions {
		if w.actions[i].verb == "delete" && w.actions[i].name == name {
			w.actions[i].empty = true
		}
	}
}

// actions are the actions of one run.
type actions []action

// names returns the resources of all actions with a verb, in order of the actions' start.
func (all actions) names(verb string) []string {
	names := []string{}
	for _, one := range all {
		if one.verb == verb {
			names = append(names, one.name)
		}
	}
	return names
}

// find returns the first action of a verb on a resource; nil if there is none.
func (all actions) find(verb, name string) *action {
	for i := range all {
		if all[i].verb == verb && all[i].name == name {
			return &all[i]
		}
	}
	return nil
}

// before reports whether the first action ended before the second one started. It is false if one
// of them is missing.
func (all actions) before(firstVerb, first, secondVerb, second string) bool {
	a, b := all.find(firstVerb, first), all.find(secondVerb, second)
	return a != nil && b != nil && a.end >= 0 && a.end < b.start
}

// ending returns the names that end with suffix, of the actions with a verb.
func (all actions) ending(verb, suffix string) []string {
	return slices.DeleteFunc(all.names(verb),
		func(name string) bool { return !strings.HasSuffix(name, suffix) })
}
