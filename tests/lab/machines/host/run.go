package host

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// Run runs a program on this host and returns its standard output. The error contains the command
// line and standard error.
func Run(ctx context.Context, argv ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, strings.TrimSpace(stderr.String()))
	}
	return out.Bytes(), nil
}

// CheckSystem returns an error if machines cannot run on an operating system (GOOS).
func CheckSystem(system string) error {
	if system == "linux" {
		return nil
	}
	return fmt.Errorf(
		"machines run in systemd-nspawn, which is part of Linux, and this machine runs %s; set "+
			"strata:hosts.driver to existing, libvirt "+
			"or proxmox, or run strata on Linux, of which a virtual machine will do", system)
}

// programs are the programs that machines need on this host, with their Debian packages.
var programs = []struct{ name, pkg string }{
	{"systemd-nspawn", "systemd-container"},
	{"ip", "iproute2"},
	{"iptables", "iptables"},
	{"tar", "tar"},
}

// CheckPrograms returns an error for the first program that is missing on this host, with the
// package to install.
func CheckPrograms() error {
	for _, p := range programs {
		if _, err := exec.LookPath(p.name); err != nil {
			return fmt.Errorf("%s is missing on this host; install it: apt-get install %s", p.name, p.pkg)
		}
	}
	return nil
}
