package machines

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"

	"strata/tests/lab/machines/cgroup"
	"strata/tests/lab/machines/host"
)

// hostPath is the whole environment of processes that outlive the command. The caller's environment
// may contain secrets, so it is not passed on.
const hostPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// boot replaces this process by the machine's systemd-nspawn. It joins the machine's cgroups, and
// mounts the overlay root in a mount namespace of its own. When the last process of the namespace
// ends, the kernel unmounts everything, so a killed machine leaves no mount. boot returns only if
// it fails.
func boot(name string) error {
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

// rebootExit is nspawn's exit code after a reboot inside the machine.
const rebootExit = 133

// nspawnArgs returns the command line of systemd-nspawn for a machine.
func nspawnArgs(spec Spec, d dir) []string {
	args := []string{
		"systemd-nspawn", "--quiet", "--boot",
		"--directory=" + d.layer().Root(),
		"--machine=" + spec.Name,
		"--hostname=" + spec.Hostname,
		"--network-bridge=" + spec.Bridge,
		// nspawn must not use this host's systemd, which may not be running.
		"--register=no", "--keep-unit",
		// Kubernetes mounts file systems, loads packet filters and sets limits. A lab machine is no
		// security boundary.
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

// removeLeftovers removes the files that a killed nspawn leaves on this host.
func removeLeftovers(name string) error {
	err := os.RemoveAll(filepath.Join("/run/systemd/nspawn/propagate", name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing what systemd-nspawn left: %w", err)
	}
	// All nspawn containers of this host share this folder, so remove it only if it is empty.
	return host.RemoveIfEmpty("/run/systemd/nspawn/propagate")
}
