package machines

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"strata/tests/lab/machines/host"
	"strata/tests/lab/machines/network"
	"strata/tests/lab/machines/rootfs"
)

// cleanupTimeout is the timeout for removing a machine after a failed or interrupted creation.
const cleanupTimeout = time.Minute

// Create creates the machine, and returns once its sshd responds with the machine's host key, or
// ctx ends. If the owner's machine exists with the same network and host name, Create starts it. A
// failed creation removes its parts.
func Create(ctx context.Context, spec Spec, log *Log) (Result, error) {
	if err := checkHost(); err != nil {
		return Result{}, err
	}
	unlock, err := host.Lock(ctx, "machine-"+spec.Name)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	spec, err = claimName(ctx, spec, log)
	if err != nil {
		return Result{}, err
	}
	existed := isReady(spec.Name)
	result, err := bringUp(ctx, spec, log)
	if err != nil && !existed {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		return Result{}, errors.Join(err, deleteLocked(ctx, spec, log))
	}
	return result, err
}

func checkHost() error {
	if err := host.CheckSystem(runtime.GOOS); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return errors.New("machines need root on this host; run the command as root (sudo)")
	}
	return host.CheckPrograms()
}

// claimName writes the spec, which claims the name, and returns the spec that now applies. It fails
// if the machine has another owner, or is complete and would have to be created again for the spec.
// It first deletes an incomplete machine, because nothing can depend on it.
func claimName(ctx context.Context, spec Spec, log *Log) (Spec, error) {
	old, err := loadSpec(spec.Name)
	switch {
	case err == nil && !spec.hasOwnerOf(old):
		return Spec{}, fmt.Errorf(
			"machine %s has another owner, whose key logs in to it: it is left alone. Two "+
				"checkouts need stacks of two names; "+
				"where the other one is gone: lab machines delete %s", spec.Name, spec.Name)
	case err == nil && isReady(spec.Name):
		if differ := rebuildReasons(old, spec); len(differ) > 0 {
			return Spec{}, fmt.Errorf(
				"machine %s exists with another %s, which needs a new machine: take that back, or lose what is on it: "+
					"lab machines delete %s", spec.Name, strings.Join(differ, ", "), spec.Name)
		}
		spec.Image, spec.ImageSHA256 = keepImage(old, spec, log)
	case err == nil:
		log.Printf("machine %s: removing what an interrupted creation left", spec.Name)
		if err := deleteLocked(ctx, old, log); err != nil {
			return Spec{}, err
		}
	case !errors.Is(err, ErrUnknown):
		return Spec{}, err
	case !isOurs(spec.Name):
		return Spec{}, fmt.Errorf("%s exists and was not made by Strata; choose another name or move it away",
			machineDir(spec.Name))
	}
	return spec, inState(ctx, func() error {
		if err := checkDisk(); err != nil {
			return err
		}
		if err := os.MkdirAll(string(machineDir(spec.Name)), 0o700); err != nil {
			return fmt.Errorf("making machine %s: %w", spec.Name, err)
		}
		return saveSpec(spec)
	})
}

// keepImage returns the image that a complete machine keeps, whatever the wanted image is.
func keepImage(old, wanted Spec, log *Log) (path, sha string) {
	if old.ImageSHA256 == wanted.ImageSHA256 {
		return wanted.Image, wanted.ImageSHA256
	}
	log.Printf("machine %s keeps its image %s; delete it to have it made from %s", old.Name,
		old.ImageSHA256[:12], wanted.ImageSHA256[:12])
	return old.Image, old.ImageSHA256
}

// isOurs reports whether the machine's directory is missing, or has only the temporary file of an
// interrupted spec write.
func isOurs(name string) bool { return machineDir(name).isUnwritten() }

func (d dir) isUnwritten() bool {
	entries, err := os.ReadDir(string(d))
	if errors.Is(err, os.ErrNotExist) {
		return true
	}
	isOther := func(entry os.DirEntry) bool { return !host.IsPart(entry.Name(), filepath.Base(d.spec())) }
	return err == nil && !slices.ContainsFunc(entries, isOther)
}

// bringUp creates all missing parts of the machine and starts it. Every step may be repeated.
func bringUp(ctx context.Context, spec Spec, log *Log) (Result, error) {
	if len(spec.DNS) == 0 {
		servers, err := network.Nameservers("/etc/resolv.conf")
		if err != nil {
			return Result{}, err
		}
		spec.DNS = servers
	}
	if err := ensureImage(ctx, spec, log); err != nil {
		return Result{}, err
	}
	if !isReady(spec.Name) {
		if err := machineDir(spec.Name).layer().Ensure(spec.identity()); err != nil {
			return Result{}, err
		}
	}
	key, err := hostKeyOf(spec)
	if err != nil {
		return Result{}, err
	}
	if err := powerOn(ctx, spec, key, log); err != nil {
		return Result{}, err
	}
	if err := host.WriteFile(machineDir(spec.Name).ready(), nil, 0o600); err != nil {
		return Result{}, err
	}
	return Result{Name: spec.Name, Address: spec.Address, HostKey: rootfs.AuthorizedForm(key)}, nil
}

// inState runs do under the lock of the state directory. So no process creates a machine's
// directory while another removes the empty state directory.
func inState(ctx context.Context, do func() error) error {
	unlock, err := host.Lock(ctx, "state")
	if err != nil {
		return err
	}
	defer unlock()
	return do()
}
