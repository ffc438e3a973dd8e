package nspawn

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
		// Kubernetes mounts, loads filters and sets limits; a machine of the lab is not a security boundary.
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

// hostPath is the environment of every process that outlives the command: the caller's, with its secrets, is left behind.
const hostPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
