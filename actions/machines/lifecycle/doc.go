// Package lifecycle owns the actions on virtual machines of any driver: make, change, restart,
// mark, remove, observe and survey, and the hypervisor's copy of their image. It picks the driver.
// Resources run its verbs.
//
// It does not wait for a boot, because a machine that does not come up must be in the state to be
// examined and destroyed. The gates wait.
//
// Guarantees: every action may be repeated and interrupted. The parts of a failed creation are
// removed. Machines of a stack restart one after the other, each until its node works again. Only
// machines with this stack's mark are changed or removed.
package lifecycle
