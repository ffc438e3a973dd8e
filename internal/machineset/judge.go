package machineset

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const server = "server"

// Plan is what a run may do.
type Plan struct {
	// Anew are the machines that are made anew.
	Anew []Machine
	// Staying are the servers that a server among Anew needs, and Majority how many of them must answer. Empty without one.
	Staying  []Machine
	Majority int
}

// Judge says which machines a run makes anew, or everything for which it may not. What previous does not know is new, and may be
// anything.
func Judge(previous, wanted Set) (Plan, error) {
	var plan Plan
	var wrong []error
	for _, machine := range wanted.Machines {
		before, known := previous.find(machine.Name)
		anew := machine.Recreate != "" && machine.Recreate != before.Recreate
		switch {
		case known && before.Driver != machine.Driver:
			wrong = append(wrong, fmt.Errorf("machine %s: strata:hosts.driver: it was made by %s, and %s is asked for; take it back, or take the node out, "+
				"run up, and add it again", machine.Name, before.Driver, machine.Driver))
		case anew:
			plan.Anew = append(plan.Anew, machine)
		case known:
			wrong = append(wrong, changes(before, machine)...)
		}
	}
	wrong = append(wrong, plan.servers(previous, wanted))
	if err := errors.Join(wrong...); err != nil {
		return Plan{}, err
	}
	return plan, nil
}

// changes are the keys that a machine which stays cannot follow. A key that only one of the two has came or went with a version of
// Strata, and says nothing.
func changes(before, wanted Machine) []error {
	var wrong []error
	for _, key := range slices.Sorted(maps.Keys(wanted.Made)) {
		was, known := before.Made[key]
		if !known || was == wanted.Made[key] {
			continue
		}
		wrong = append(wrong, fmt.Errorf("machine %s: strata:%s: it was made with %s, and %s is asked for, which needs a new machine; take it back, or "+
			"consent to lose what is on this one: recreate: A-NEW-WORD at its entry of strata:hosts.nodes", wanted.Name, key, shown(was), shown(wanted.Made[key])))
	}
	return wrong
}

func shown(value string) string {
	if value == "" {
		return "nothing"
	}
	return value
}

// servers plans for the servers that go, or says why they must not.
func (p *Plan) servers(previous, wanted Set) error {
	going := only(p.Anew, func(m Machine) bool { return m.Role == server })
	if len(going) == 0 {
		return nil
	}
	if len(going) > 1 {
		return fmt.Errorf("machines %s: one server may be made anew in a run, and %d have a new recreate: leave it at one of them until its up is through",
			names(going), len(going))
	}
	before := only(previous.Machines, func(m Machine) bool { return m.Role == server })
	for _, machine := range before {
		if now, stays := wanted.find(machine.Name); stays && now.Role == server && machine.Name != going[0].Name {
			p.Staying = append(p.Staying, now)
		}
	}
	p.Majority = len(before)/2 + 1
	if len(p.Staying) < p.Majority {
		return fmt.Errorf("machine %s: making it anew leaves %d of %d servers, and etcd needs %d: its data would be lost. Add servers first, or keep a "+
			"snapshot (strata snapshot --to FOLDER), then pulumi destroy, up, and strata restore --file", going[0].Name, len(p.Staying), len(before), p.Majority)
	}
	return nil
}

func only(machines []Machine, keep func(Machine) bool) []Machine {
	return slices.DeleteFunc(slices.Clone(machines), func(m Machine) bool { return !keep(m) })
}

func names(machines []Machine) string {
	list := make([]string, len(machines))
	for i, machine := range machines {
		list[i] = machine.Name
	}
	return strings.Join(list, ", ")
}
