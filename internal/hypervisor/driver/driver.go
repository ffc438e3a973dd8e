package driver

import (
	"context"
	"time"

	"strata/internal/hypervisor"
)

// Found describes the guest that the hypervisor has under a machine's name.
type Found struct {
	// ID is the guest's name in the hypervisor's commands.
	ID string
	// Mark is its owner; zero when no stack of Strata made it.
	Mark hypervisor.Mark
	// Note is the text that Mark was read from, where people can add to it.
	Note string
	// Running is true unless it is off.
	Running   bool
	CPUs      int
	MemoryMiB int
	DiskGiB   int
}

// ShutdownTimeout bounds a guest's shutdown: K3s ends its Pods first.
const ShutdownTimeout = 3 * time.Minute

// Driver manages one machine on one kind of hypervisor. No method but Destroy touches a machine
// that has another mark.
type Driver interface {
	// Find looks the machine up; nil when there is nothing.
	Find(ctx context.Context) (*Found, error)
	// Make makes the machine, marked as being made, with its seed, and leaves it off.
	Make(ctx context.Context, seed []byte) (*Found, error)
	// Sign puts a mark in place of the one that the machine has.
	Sign(ctx context.Context, have *Found, mark hypervisor.Mark) error
	// Finish marks the machine as whole.
	Finish(ctx context.Context, have *Found) error
	Start(ctx context.Context, have *Found) error
	// Shutdown powers the machine off from inside, and returns once it is off.
	Shutdown(ctx context.Context, have *Found) error
	// Resize gives the machine the Spec's processors and memory, from its next Start on.
	Resize(ctx context.Context, have *Found) error
	// Grow gives the disk the Spec's size, at once.
	Grow(ctx context.Context, have *Found) error
	// Destroy removes the machine and all that was made for it.
	Destroy(ctx context.Context, have *Found) error
	// PutImage copies the Spec's image to the hypervisor, RemoveImage removes it.
	PutImage(ctx context.Context) error
	RemoveImage(ctx context.Context) error
	// Observe returns the facts for a gate.
	Observe(ctx context.Context) (hypervisor.Facts, error)
	// Owned are the machines of the Spec's stack, whichever node they are for, by name. It changes nothing.
	Owned(ctx context.Context) ([]hypervisor.Owned, error)
	Surveyor
}

// Surveyor is a driver's part of a survey.
type Surveyor interface {
	Node(ctx context.Context) hypervisor.NodeFacts
	Storages(ctx context.Context) []hypervisor.StorageFacts
	Network(ctx context.Context) hypervisor.NetworkFacts
	Template(ctx context.Context) (diskGiB int, err error)
	Machines(ctx context.Context, specs []hypervisor.Spec) []hypervisor.MachineFacts
}

// MachineFacts returns a driver's findings. The rest of an interrupted creation is removed before
// the machine is made anew, so it holds nothing.
func MachineFacts(have *Found, err error) hypervisor.MachineFacts {
	facts := hypervisor.MachineFacts{Fault: err}
	if err == nil && have != nil && have.Mark.Whole() {
		facts.Whole, facts.Running, facts.CPUs, facts.MemoryMiB, facts.DiskGiB = true, have.Running, have.CPUs, have.MemoryMiB, have.DiskGiB
	}
	return facts
}
