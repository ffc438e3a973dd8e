package vm

import (
	"strata/health"
	"strata/internal/hypervisor"
)

// Kind gates a virtual machine through its hypervisor: the machine must run and, if it uses DHCP,
// have its address.
const Kind health.Kind = "vm"

// Spec configures the gate of a virtual machine. The Image of the hypervisor.Spec is empty.
type Spec struct{ hypervisor.Spec }

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind, NoServers: true} }

// Validate implements health.Body.
func (Spec) Validate(health.Need) {}
