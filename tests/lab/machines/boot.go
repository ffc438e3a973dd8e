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

// hostPath is the environment of every process that outlives the command. It leaves out the
// caller's environment with its secrets.
const hostPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// boot turns this process into the machine's systemd-nspawn. It joins the machine's cgroups, mounts
// the overlay root in a mount namespace of its own, and executes nspawn. The kernel unmounts
// everything when the last process is gone, so a killed machine leaves no mount. It returns only on
// failure.
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

// rebootExit is nspawn's exit code when the machine requests a reboot.
const rebootExit = 133

// nspawnArgs returns the command line of a machine's container.
func nspawnArgs(spec Spec, d dir) []string {
	args := []string{
		"systemd-nspawn", "--quiet", "--boot",
		"--directory=" + d.layer().Root(),
		"--machine=" + spec.Name,
		"--hostname=" + spec.Hostname,
		"--network-bridge=" + spec.Bridge,
		// nspawn must not contact systemd on this host, which may not have one.
		"--register=no", "--keep-unit",
		// Kubernetes mounts, loads filters and sets limits; a machine of the lab is no security
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

// removeLeftovers removes the files that a killed nspawn leaves on this host.
func removeLeftovers(name string) error {
	err := os.RemoveAll(filepath.Join("/run/systemd/nspawn/propagate", name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing what systemd-nspawn left: %w", err)
	}
	// All of the host's containers share these; they go with the last one.
	return host.RemoveIfEmpty("/run/systemd/nspawn/propagate")
}
