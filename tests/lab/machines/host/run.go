package host

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// Run executes a program of this host and returns its stdout. Its error can be pasted into a shell.
func Run(ctx context.Context, argv ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, strings.TrimSpace(stderr.String()))
	}
	return out.Bytes(), nil
}

// CheckSystem returns an error if a system, in Go's terms, cannot have machines.
func CheckSystem(system string) error {
	if system == "linux" {
		return nil
	}
	return fmt.Errorf(
		"machines run in systemd-nspawn, which is part of Linux, and this machine runs %s; set "+
			"strata:hosts.driver to existing, libvirt "+
			"or proxmox, or run strata on Linux, of which a virtual machine will do", system)
}

// programs are the programs that creating a machine needs, with their packages.
var programs = []struct{ name, pkg string }{
	{"systemd-nspawn", "systemd-container"},
	{"ip", "iproute2"},
	{"iptables", "iptables"},
	{"tar", "tar"},
}

// CheckPrograms returns an error with the first program that is missing on this host, and its
// package.
func CheckPrograms() error {
	for _, p := range programs {
		if _, err := exec.LookPath(p.name); err != nil {
			return fmt.Errorf("%s is missing on this host; install it: apt-get install %s", p.name, p.pkg)
		}
	}
	return nil
}
