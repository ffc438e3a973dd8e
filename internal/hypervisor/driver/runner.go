package driver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"strata/internal/hypervisor"
	"strata/internal/ssh/silence"
)

// Runner runs commands on the hypervisor.
type Runner struct {
	Host hypervisor.Host
	Spec hypervisor.Spec
}

// Command runs one command and returns its output, without the last newline.
func (r Runner) Command(ctx context.Context, words ...string) (string, error) {
	return r.Feed(ctx, nil, 0, words...)
}

// Feed runs one command with size bytes of stdin, and returns its output as Command does.
func (r Runner) Feed(
	ctx context.Context, stdin io.Reader, size int64, words ...string,
) (string, error) {
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	output, err := r.Host.Run(ctx, "export LC_ALL=C; "+Shell(words), stdin, size)
	if err != nil {
		return "", r.explain(ctx, words, err)
	}
	return strings.TrimRight(output, "\n"), nil
}

// WithImage opens the Spec's image and passes it to put. If ctx is bounded by silence, each read
// counts as progress.
func (r Runner) WithImage(
	ctx context.Context, put func(content io.Reader, size int64) error,
) error {
	file, err := os.Open(r.Spec.Image.Path)
	if err != nil {
		return fmt.Errorf("image: %w", err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("image: %w", err)
	}
	return put(silence.Reader(ctx, file), info.Size())
}

// causes maps messages of hypervisors to their cause and fix.
var causes = []struct{ text, cause string }{
	{"No space left on device", "the storage is full: free some space on it, or set another one"},
	{"not enough free space", "the storage is full: free some space on it, or set another one"},
	{"no storage pool with matching name",
		"there is no such pool: see virsh pool-list --all, and set strata:hosts.libvirt.pool"},
	{"storage pool is not active", "the pool is not active: virsh pool-start it"},
	{"no network with matching name",
		"there is no such network: see virsh net-list --all, and set strata:hosts.libvirt.network"},
	{"is not active", "the network or pool is not active: virsh net-start or pool-start it"},
	{"Cannot get interface MTU", "there is no such bridge: see ip link show type bridge, and set the driver's bridge"},
	{"does not support virt type 'kvm'",
		"no hardware virtualisation: switch it on in the firmware, or set strata:hosts.libvirt.type: qemu"},
	{"could not access KVM kernel module",
		"no hardware virtualisation: switch it on in the firmware, or set strata:hosts.libvirt.type: qemu"},
	{"Failed to connect socket", "libvirt does not run: systemctl start libvirtd"},
	{"not found", "a command is missing: is this a hypervisor of the configured driver?"},
}

// explain returns an error with the command, the hypervisor, the machine, and the cause if the
// message is known.
func (r Runner) explain(ctx context.Context, words []string, err error) error {
	if silent, ok := errors.AsType[*silence.Error](context.Cause(ctx)); ok {
		return fmt.Errorf("%s: %s of %s: %w", r.Host, words[0], r.Spec.Name(), silent)
	}
	if errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return fmt.Errorf("%s: %s of %s did not end within %s: %w", r.Host, words[0], r.Spec.Name(),
			r.Spec.Timeout.Duration, context.Cause(ctx))
	}
	for _, one := range causes {
		if strings.Contains(err.Error(), one.text) {
			return fmt.Errorf("%s: %s: %w; %s", r.Host, Shell(words), err, one.cause)
		}
	}
	return fmt.Errorf("%s: %s: %w", r.Host, Shell(words), err)
}
