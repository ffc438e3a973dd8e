package vm

import (
	"context"
	"time"
)

// found is what the hypervisor has under a machine's name.
type found struct {
	// ID is how the hypervisor's commands call it.
	ID string
	// Mark is its owner; zero when nobody of us made it.
	Mark Mark
	// Note is the text that Mark was read from, where people can add to it.
	Note string
	// Running is true unless it is off.
	Running   bool
	CPUs      int
	MemoryMiB int
	DiskGiB   int
}

// shutdownTimeout is how long a guest may take to power off: K3s ends its Pods first.
const shutdownTimeout = 3 * time.Minute

// driver is what one kind of hypervisor can do with one machine. No method but destroy touches a machine that has another mark.
type driver interface {
	// find is what there is of the machine; nil when there is nothing.
	find(ctx context.Context) (*found, error)
	// make makes the machine, marked as being made, with its seed, and leaves it off.
	make(ctx context.Context, seed []byte) (*found, error)
	// sign puts a mark in place of the one that the machine has.
	sign(ctx context.Context, have *found, mark Mark) error
	// finish marks the machine as whole.
	finish(ctx context.Context, have *found) error
	start(ctx context.Context, have *found) error
	// shutdown powers the machine off from inside, and returns once it is off.
	shutdown(ctx context.Context, have *found) error
	// resize gives the machine the Spec's processors and memory, from its next start on.
	resize(ctx context.Context, have *found) error
	// grow gives the disk the Spec's size, at once.
	grow(ctx context.Context, have *found) error
	// destroy removes the machine and all that was made for it.
	destroy(ctx context.Context, have *found) error
	// putImage copies the Spec's image to the hypervisor, removeImage removes it.
	putImage(ctx context.Context) error
	removeImage(ctx context.Context) error
	// look is what a gate wants to know.
	look(ctx context.Context) (Facts, error)
	// owned are the machines of the Spec's stack, whichever node they are for.
	owned(ctx context.Context) ([]Owned, error)
	surveyor
}

// surveyor is a driver's part of a survey.
type surveyor interface {
	node(ctx context.Context) NodeFacts
	storages(ctx context.Context) []StorageFacts
	network(ctx context.Context) NetworkFacts
	template(ctx context.Context) (diskGiB int, err error)
	machines(ctx context.Context, specs []Spec) []MachineFacts
}

// machineFacts are what a driver found. What an interrupted creation left is removed before it is made anew, so it holds nothing.
func machineFacts(have *found, err error) MachineFacts {
	facts := MachineFacts{Fault: err}
	if err == nil && have != nil && have.Mark.Whole() {
		facts.Whole, facts.Running, facts.CPUs, facts.MemoryMiB, facts.DiskGiB = true, have.Running, have.CPUs, have.MemoryMiB, have.DiskGiB
	}
	return facts
}
