package nspawn

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"

	"strata/internal/nspawn/cgroup"
	"strata/internal/nspawn/host"
)

// hostPath is the environment of every process that outlives the command: the caller's, with its
// secrets, is left behind.
const hostPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Boot turns this process into the machine's systemd-nspawn: it joins the machine's cgroups, mounts
// the overlay root in a mount namespace of its own, and executes nspawn. The kernel unmounts
// everything when the last process is gone, so a machine that is killed leaves no mount behind. It
// returns only on failure.
func Boot(name string) error {
	spec, err := loadSpec(name)
	if err != nil {
		return err
	}
	d := machineDir(name)
	if err := cgroup.Join(name, cgroup.LeafMachine); err != nil {
		return err
	}
	if err := mountRoot(spec, d); err != nil {
		return err
	}
	nspawn, err := exec.LookPath("systemd-nspawn")
	if err != nil {
		return err
	}
	return fmt.Errorf("executing %s: %w", nspawn, unix.Exec(nspawn, nspawnArgs(spec, d), []string{hostPath}))
}

// rebootExit is nspawn's exit code when the machine asked for a reboot.
const rebootExit = 133

// nspawnArgs is the command line of a machine's container.
func nspawnArgs(spec Spec, d dir) []string {
	args := []string{
		"systemd-nspawn", "--quiet", "--boot",
		"--directory=" + d.layer().Root(),
		"--machine=" + spec.Name,
		"--hostname=" + spec.Hostname,
		"--network-bridge=" + spec.Bridge,
		// No systemd on this host is asked for anything: it may not be there.
		"--register=no", "--keep-unit",
		// Kubernetes mounts, loads filters and sets limits; a machine of the lab is not a security
		// boundary.
		"--capability=all", "--system-call-filter=@keyring bpf @module",
		"--bind=/dev/kmsg", "--bind=/dev/fuse",
		"--resolv-conf=off", "--timezone=off", "--link-journal=no",
		"--console=read-only",
	}
	for _, bind := range d.layer().Binds() {
		args = append(args, "--bind="+bind)
	}
	return args
}

// removeLeftovers removes what nspawn leaves on this host when it is killed.
func removeLeftovers(name string) error {
	err := os.RemoveAll(filepath.Join("/run/systemd/nspawn/propagate", name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing what systemd-nspawn left: %w", err)
	}
	// These are shared by all of the host's containers and go with the last one.
	return host.RemoveIfEmpty("/run/systemd/nspawn/propagate")
}
