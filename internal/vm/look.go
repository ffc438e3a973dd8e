package vm

import "context"

// Facts is what a hypervisor knows of a machine.
type Facts struct {
	Exists bool `json:"exists"`
	// Running is true while the machine's processors run; Power is the hypervisor's own word, with its reason.
	Running bool   `json:"running"`
	Power   string `json:"power,omitempty"`
	// Addresses are those that the machine has, as far as the hypervisor knows; only asked for with DHCP.
	Addresses []string `json:"addresses,omitempty"`
	// Agent is why the guest's agent did not answer.
	Agent string `json:"agent,omitempty"`
	// Console is the end of what the machine said on its console.
	Console string `json:"console,omitempty"`
}

// Look asks the hypervisor about a machine and changes nothing.
func Look(ctx context.Context, host Host, spec Spec) (Facts, error) {
	spec.onlyLooks = true // a gate's Spec has no identity, and what it waits for has asked
	return newDriver(host, spec).look(ctx)
}
