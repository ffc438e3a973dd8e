package machineset

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/verb"
)

// Guard fails if a set of machines would replace a machine without consent, or lose the cluster. It
// compares the set with its previous output, and prints it for the next run.
var Guard = verb.New(func(ctx context.Context, call verb.Call, wanted Set) error {
	before, err := verb.Previous[Set](call)
	if err != nil {
		return err
	}
	plan, err := Judge(before, wanted)
	if err == nil {
		err = plan.Ask(ctx)
	}
	if err != nil {
		return fmt.Errorf("layer hosts: nothing was changed:\n%w", err)
	}
	for _, anew := range plan.Anew {
		_, _ = fmt.Fprintf(call.Stderr, "machine %s is made anew (recreate: %s)\n", anew.Name,
			anew.Recreate)
	}
	return call.PrintJSON(Remember(before, wanted))
})

// Set lists the wanted machines. It is the input of Guard, as JSON on stdin. Guard prints a Set as
// its output, with which the next run compares its input.
type Set struct {
	// Timeout bounds the /ping requests to the servers that are not replaced.
	Timeout  metav1.Duration `json:"timeout"`
	Machines []Machine       `json:"machines"`
}

// Machine is one machine of the configuration.
type Machine struct {
	Name string `json:"name"`
	// Role is server or agent.
	Role    string `json:"role"`
	Address string `json:"address"`
	// Recreate is hosts.nodes[].recreate. A value that differs from the previous one allows this
	// machine to be recreated once. Empty: the machine is not recreated.
	Recreate string `json:"recreate,omitempty"`
}

// find returns the machine with a name, and false if there is none.
func (s Set) find(name string) (Machine, bool) {
	for _, machine := range s.Machines {
		if machine.Name == name {
			return machine, true
		}
	}
	return Machine{}, false
}

// Remember returns the Set to record for the next run: wanted, in which each machine without
// Recreate has its previous value. So a value that a user removes and sets again does not recreate
// the machine twice.
func Remember(previous, wanted Set) Set {
	kept := Set{Timeout: wanted.Timeout}
	for _, machine := range wanted.Machines {
		if before, known := previous.find(machine.Name); known && machine.Recreate == "" {
			machine.Recreate = before.Recreate
		}
		kept.Machines = append(kept.Machines, machine)
	}
	return kept
}
