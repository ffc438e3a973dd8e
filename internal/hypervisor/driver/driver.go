package driver

import (
	"context"
	"time"

	"strata/internal/hypervisor"
)

// Found describes the guest that has the machine's name on the hypervisor.
type Found struct {
	// ID is the guest's name in the hypervisor's commands.
	ID string
	// Mark is the owner's mark; zero if the guest has none.
	Mark hypervisor.Mark
	// Note is the text that contains the mark, if users can edit that text.
	Note string
	// Running is true unless the machine is off.
	Running   bool
	CPUs      int
	MemoryMiB int
	DiskGiB   int
}

// ShutdownTimeout bounds a guest's shutdown, which includes the stop of all Pods by K3s.
const ShutdownTimeout = 3 * time.Minute

// Driver manages one machine on one kind of hypervisor. Find and Destroy fail for a machine that
// the Spec does not own.
type Driver interface {
	// Find returns the guest with the machine's name; nil if there is none.
	Find(ctx context.Context) (*Found, error)
	// Make creates the machine with its seed and does not start it. Its mark has StateMaking.
	Make(ctx context.Context, seed []byte) (*Found, error)
	// Sign replaces the machine's mark.
	Sign(ctx context.Context, have *Found, mark hypervisor.Mark) error
	// Finish marks the machine as complete.
	Finish(ctx context.Context, have *Found) error
	Start(ctx context.Context, have *Found) error
	// Shutdown makes the guest's operating system power the machine off, and returns once it is
	// off.
	Shutdown(ctx context.Context, have *Found) error
	// Resize gives the machine the Spec's processors and memory, from the machine's next Start on.
	Resize(ctx context.Context, have *Found) error
	// Grow resizes the disk to the Spec's size, also while the machine runs.
	Grow(ctx context.Context, have *Found) error
	// Destroy removes the machine and all its parts.
	Destroy(ctx context.Context, have *Found) error
	// PutImage copies the Spec's image to the hypervisor, RemoveImage removes it.
	PutImage(ctx context.Context) error
	RemoveImage(ctx context.Context) error
	// Observe returns the facts about the machine that its gate judges.
	Observe(ctx context.Context) (hypervisor.Facts, error)
	// ListOwned returns the machines of the Spec's stack, for all nodes, by name. It changes
	// nothing.
	ListOwned(ctx context.Context) ([]hypervisor.Owned, error)
	Surveyor
}

// Surveyor reads a driver's part of a survey.
type Surveyor interface {
	Node(ctx context.Context) hypervisor.NodeFacts
	Storages(ctx context.Context) []hypervisor.StorageFacts
	Network(ctx context.Context) hypervisor.NetworkFacts
	Template(ctx context.Context) (diskGiB int, err error)
	Machines(ctx context.Context, specs []hypervisor.Spec) []hypervisor.MachineFacts
}

// MachineFacts converts the result of Find. It ignores an incomplete machine, because the next run
// removes and replaces it.
func MachineFacts(have *Found, err error) hypervisor.MachineFacts {
	facts := hypervisor.MachineFacts{Fault: err}
	if err == nil && have != nil && have.Mark.Whole() {
		facts.Whole = true
		facts.Running = have.Running
		facts.CPUs = have.CPUs
		facts.MemoryMiB = have.MemoryMiB
		facts.DiskGiB = have.DiskGiB
	}
	return facts
}
