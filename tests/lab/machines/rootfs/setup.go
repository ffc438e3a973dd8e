package rootfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// sysctls are the values that kubelet expects. kubelet changes other values, or fails if
// protectKernelDefaults is set. A container's /proc/sys is read-only, and shows this host's values,
// which must not change. So the machine mounts files with these values over the files of /proc/sys.
var sysctls = map[string]string{
	"vm/overcommit_memory": "1",
	"kernel/panic":         "10",
	"kernel/panic_on_oops": "1",
}

const (
	setupUnit   = "strata-machine.service"
	setupScript = "usr/local/lib/strata/machine-setup"
	// A script mounts the files, because nspawn's --bind would look for the source of a mount below
	// /proc inside the machine.
	setupShell = `#!/bin/sh
# Made by Strata. Gives the machine what a VM's kernel would: kubelet's sysctls, writable cgroup controllers.
set -eu

cd /usr/local/lib/strata/sysctl
find . -type f | while read -r value; do
	mount --bind "$value" "/proc/sys/$value"
done

# containerd makes cgroups in every v1 controller; nspawn mounts all but systemd's own read-only.
awk '$3 == "cgroup" { print $2 }' /proc/mounts | while read -r controller; do
	mount -o remount,bind,rw "$controller"
done
`
	setupUnitText = `# Made by Strata.
[Unit]
Description=Kernel settings that a container does not get by itself
DefaultDependencies=no
Before=sysinit.target systemd-sysctl.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/` + setupScript + `
`
)

func setupFiles() map[string]file {
	files := map[string]file{
		setupScript:                       {setupShell, 0o755},
		"etc/systemd/system/" + setupUnit: {setupUnitText, 0o644},
	}
	for name, value := range sysctls {
		files["usr/local/lib/strata/sysctl/"+name] = file{value + "\n", 0o644}
	}
	return files
}

// enableSetup enables the setup unit, as `systemctl enable` would in a running system.
func (l Layer) enableSetup() error {
	wants := filepath.Join(l.upper(), "etc/systemd/system/sysinit.target.wants")
	if err := os.MkdirAll(wants, 0o755); err != nil {
		return fmt.Errorf("enabling %s: %w", setupUnit, err)
	}
	err := os.Symlink("../"+setupUnit, filepath.Join(wants, setupUnit))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("enabling %s: %w", setupUnit, err)
	}
	return nil
}
