package seed

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"strata/internal/hypervisor"
)

// userData returns the cloud-config of a machine.
func userData(spec hypervisor.Spec, hostKey []byte) (map[string]any, error) {
	signer, err := ssh.ParsePrivateKey(hostKey)
	if err != nil {
		return nil, fmt.Errorf("host key of %s: %w", spec.Node, err)
	}
	guest := spec.Guest
	config := map[string]any{
		"hostname": spec.Node, "preserve_hostname": false, "manage_etc_hosts": true,
		"ssh_deletekeys": true,
		"ssh_keys": map[string]any{
			// OpenSSH reads no key whose last line lacks a newline, and the state drops the newline
			// at the end of a command's output.
			"ed25519_private": strings.TrimSpace(string(hostKey)) + "\n",
			"ed25519_public": strings.TrimSpace(
				string(ssh.MarshalAuthorizedKey(signer.PublicKey()))),
		},
		"ssh_pwauth":    false,
		"growpart":      map[string]any{"mode": "auto", "devices": []string{"/"}},
		"resize_rootfs": true,
	}
	// cloud-init reports an empty list as an error.
	if files := guestFiles(guest); len(files) > 0 {
		config["write_files"] = files
	}
	// guestFiles take effect at the next boot, bootcmd already in this one.
	if commands := bootCommands(guest); len(commands) > 0 {
		config["bootcmd"] = commands
	}
	if guest.User == "root" {
		config["disable_root"] = false
		config["ssh_authorized_keys"] = guest.AuthorizedKeys
		config["users"] = []any{}
	} else {
		config["users"] = []map[string]any{{
			"name": guest.User, "shell": "/bin/bash", "sudo": "ALL=(ALL) NOPASSWD:ALL",
			"lock_passwd":         true,
			"ssh_authorized_keys": guest.AuthorizedKeys,
		}}
	}
	if len(guest.Packages) > 0 {
		config["packages"], config["package_update"] = guest.Packages, true
	}
	return config, nil
}

// guestFiles returns the files that apply modules and settings at every boot.
func guestFiles(guest hypervisor.Guest) []map[string]any {
	files := []map[string]any{}
	add := func(path, content string) {
		if content != "" {
			files = append(files,
				map[string]any{"path": path, "content": content, "permissions": "0644",
					"owner": "root:root"})
		}
	}
	add("/etc/modules-load.d/50-strata.conf", lines(guest.Modules))
	var settings []string
	for _, name := range slices.Sorted(maps.Keys(guest.Sysctls)) {
		settings = append(settings, name+" = "+guest.Sysctls[name])
	}
	add("/etc/sysctl.d/50-strata.conf", lines(settings))
	if guest.Port != 22 {
		add("/etc/ssh/sshd_config.d/50-strata.conf", fmt.Sprintf("Port %d\n", guest.Port))
	}
	return files
}

// bootCommands returns the commands that apply the settings of guestFiles at the first boot. If the
// kernel lacks a module, cloud-init fails. Then the host's gate fails and shows cloud-init's error.
func bootCommands(guest hypervisor.Guest) [][]string {
	commands := [][]string{}
	for _, module := range guest.Modules {
		commands = append(commands, []string{"modprobe", module})
	}
	for _, name := range slices.Sorted(maps.Keys(guest.Sysctls)) {
		commands = append(commands, []string{"sysctl", "-w", name + "=" + guest.Sysctls[name]})
	}
	return commands
}

// networkConfig returns version 2 of cloud-init's network configuration. It selects the interface
// by its hardware address, because its name depends on the image.
func networkConfig(spec hypervisor.Spec) map[string]any {
	guest := spec.Guest
	nic := map[string]any{"match": map[string]any{"macaddress": spec.MAC()}, "dhcp4": guest.DHCP}
	if !guest.DHCP {
		nic["addresses"] = []string{guest.Address.String()}
		nic["routes"] = []map[string]string{{"to": "0.0.0.0/0", "via": guest.Gateway.String()}}
		servers := []string{}
		for _, server := range guest.DNS {
			servers = append(servers, server.String())
		}
		nic["nameservers"] = map[string]any{"addresses": servers}
	}
	return map[string]any{"version": 2, "ethernets": map[string]any{"nic0": nic}}
}

// lines joins a list, one item per line; empty for an empty list.
func lines(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, "\n") + "\n"
}
