package vm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
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

// newDriver is the Spec's driver on a hypervisor.
func newDriver(host Host, spec Spec) driver {
	run := runner{host: host, spec: spec}
	if spec.Driver == "proxmox" {
		return &proxmox{run}
	}
	return &libvirt{run}
}

// runner runs commands on the hypervisor.
type runner struct {
	host Host
	spec Spec
}

// command runs one command and returns what it printed, without the last line's end.
func (r runner) command(ctx context.Context, words ...string) (string, error) {
	return r.feed(ctx, nil, 0, words...)
}

// feed is command with an input.
func (r runner) feed(ctx context.Context, stdin io.Reader, size int64, words ...string) (string, error) {
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	output, err := r.host.Run(ctx, "export LC_ALL=C; "+shell(words), stdin, size)
	if err != nil {
		return "", r.explain(ctx, words, err)
	}
	return strings.TrimRight(output, "\n"), nil
}

// withImage lets put read the Spec's image.
func (r runner) withImage(put func(content io.Reader, size int64) error) error {
	file, err := os.Open(r.spec.Image.Path)
	if err != nil {
		return fmt.Errorf("image: %w", err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("image: %w", err)
	}
	return put(file, info.Size())
}

// causes are what hypervisors say, with what it means and what to do.
var causes = []struct{ said, cause string }{
	{"No space left on device", "the storage is full: free some space on it, or set another one"},
	{"not enough free space", "the storage is full: free some space on it, or set another one"},
	{"no storage pool with matching name", "there is no such pool: see virsh pool-list --all, and set strata:hosts.libvirt.pool"},
	{"storage pool is not active", "the pool is not active: virsh pool-start it"},
	{"no network with matching name", "there is no such network: see virsh net-list --all, and set strata:hosts.libvirt.network"},
	{"is not active", "the network or pool is not active: virsh net-start or pool-start it"},
	{"Cannot get interface MTU", "there is no such bridge: see ip link show type bridge, and set the driver's bridge"},
	{"does not support virt type 'kvm'", "no hardware virtualisation: switch it on in the firmware, or set strata:hosts.libvirt.type: qemu"},
	{"could not access KVM kernel module", "no hardware virtualisation: switch it on in the firmware, or set strata:hosts.libvirt.type: qemu"},
	{"Failed to connect socket", "libvirt does not run: systemctl start libvirtd"},
	{"not found", "a command is missing: is this a hypervisor of the configured driver?"},
}

// explain says which command failed on which hypervisor for which machine, and what its words mean.
func (r runner) explain(ctx context.Context, words []string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return fmt.Errorf("%s: %s of %s did not end within %s: %w", r.host, words[0], r.spec.Name(), r.spec.Timeout.Duration, context.Cause(ctx))
	}
	for _, one := range causes {
		if strings.Contains(err.Error(), one.said) {
			return fmt.Errorf("%s: %s: %w; %s", r.host, shell(words), err, one.cause)
		}
	}
	return fmt.Errorf("%s: %s: %w", r.host, shell(words), err)
}
