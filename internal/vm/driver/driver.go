package driver

import (
	"context"
	"time"

	"strata/internal/vm"
)

// Found is what the hypervisor has under a machine's name.
type Found struct {
	// ID is how the hypervisor's commands call it.
	ID string
	// Mark is its owner; zero when no stack of Strata made it.
	Mark vm.Mark
	// Note is the text that Mark was read from, where people can add to it.
	Note string
	// Running is true unless it is off.
	Running   bool
	CPUs      int
	MemoryMiB int
	DiskGiB   int
}

// ShutdownTimeout is how long a guest may take to power off: K3s ends its Pods first.
const ShutdownTimeout = 3 * time.Minute

// Driver is what one kind of hypervisor can do with one machine. No method but Destroy touches a machine that has another mark.
type Driver interface {
	// Find is what there is of the machine; nil when there is nothing.
	Find(ctx context.Context) (*Found, error)
	// Make makes the machine, marked as being made, with its seed, and leaves it off.
	Make(ctx context.Context, seed []byte) (*Found, error)
	// Sign puts a mark in place of the one that the machine has.
	Sign(ctx context.Context, have *Found, mark vm.Mark) error
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
	// Observe is what a gate wants to know.
	Observe(ctx context.Context) (vm.Facts, error)
	// Owned are the machines of the Spec's stack, whichever node they are for.
	Owned(ctx context.Context) ([]vm.Owned, error)
	Surveyor
}

// Surveyor is a driver's part of a survey.
type Surveyor interface {
	Node(ctx context.Context) vm.NodeFacts
	Storages(ctx context.Context) []vm.StorageFacts
	Network(ctx context.Context) vm.NetworkFacts
	Template(ctx context.Context) (diskGiB int, err error)
	Machines(ctx context.Context, specs []vm.Spec) []vm.MachineFacts
}

// MachineFacts are what a driver found. What an interrupted creation left is removed before it is made anew, so it holds nothing.
func MachineFacts(have *Found, err error) vm.MachineFacts {
	facts := vm.MachineFacts{Fault: err}
	if err == nil && have != nil && have.Mark.Whole() {
		facts.Whole, facts.Running, facts.CPUs, facts.MemoryMiB, facts.DiskGiB = true, have.Running, have.CPUs, have.MemoryMiB, have.DiskGiB
	}
	return facts
}
