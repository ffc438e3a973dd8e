package machineset

import (
	"fmt"
	"slices"
	"strings"
)

const server = "server"

// Plan lists the machines that a run replaces.
type Plan struct {
	// Anew lists the machines that the run recreates.
	Anew []Machine
	// Staying lists the servers that must keep etcd's quorum while a server of Anew is replaced; at
	// least Majority of them must answer. Both are empty if Anew has no server.
	Staying  []Machine
	Majority int
}

// Judge returns the plan of a run, or an error if the replacement of servers is not allowed. A
// machine that is not in previous is new.
func Judge(previous, wanted Set) (Plan, error) {
	var plan Plan
	for _, machine := range wanted.Machines {
		before, _ := previous.find(machine.Name)
		if machine.Recreate != "" && machine.Recreate != before.Recreate {
			plan.Anew = append(plan.Anew, machine)
		}
	}
	if err := plan.servers(previous, wanted); err != nil {
		return Plan{}, err
	}
	return plan, nil
}

// servers plans the replacement of servers. It returns an error if that is not allowed.
func (p *Plan) servers(previous, wanted Set) error {
	going := only(p.Anew, func(m Machine) bool { return m.Role == server })
	if len(going) == 0 {
		return nil
	}
	if len(going) > 1 {
		return fmt.Errorf("machines %s: one server may be made anew in a run, and %d have a new "+
			"recreate: leave it at one of them until its up is through",
			names(going), len(going))
	}
	before := only(previous.Machines, func(m Machine) bool { return m.Role == server })
	for _, machine := range before {
		if now, stays := wanted.find(machine.Name); stays && now.Role == server &&
			machine.Name != going[0].Name {
			p.Staying = append(p.Staying, now)
		}
	}
	p.Majority = len(before)/2 + 1
	if len(p.Staying) < p.Majority {
		return fmt.Errorf("machine %s: making it anew leaves %d of %d servers, and etcd needs "+
			"%d: its data would be lost. Add servers first, or keep a "+
			"snapshot (strata snapshot --to FOLDER), then pulumi destroy, up, and strata "+
			"restore --file", going[0].Name, len(p.Staying), len(before), p.Majority)
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
