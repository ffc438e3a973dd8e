package rootfs

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

const seedDir = "var/lib/cloud/seed/nocloud"

// seedFiles returns the files of the NoCloud seed, by path in the root file system. The machine
// really runs cloud-init, so that steps which wait for cloud-init in a VM also wait here.
func seedFiles(id Identity, machineID string) (map[string]file, error) {
	files := map[string]file{}
	for name, content := range id.Seed {
		files[seedDir+"/"+name] = file{content: content, mode: 0o600}
	}
	if len(files) > 0 {
		return files, nil
	}
	parts := map[string]any{
		"meta-data":      map[string]any{"instance-id": id.Name + "-" + machineID[:12], "local-hostname": id.Hostname},
		"user-data":      userData(id),
		"network-config": networkConfig(id),
	}
	for name, content := range parts {
		raw, err := yaml.Marshal(content)
		if err != nil {
			return nil, fmt.Errorf("rendering cloud-init's %s: %w", name, err)
		}
		if name == "user-data" {
			raw = append([]byte("#cloud-config\n"), raw...)
		}
		files[seedDir+"/"+name] = file{content: string(raw), mode: 0o600}
	}
	return files, nil
}

func userData(id Identity) map[string]any {
	keys := []string{strings.TrimSpace(id.AuthorizedKey)}
	return map[string]any{
		"hostname": id.Hostname,
		// The host key is already known to clients. A new one would make every login fail.
		"ssh_deletekeys":  false,
		"ssh_genkeytypes": []string{"ed25519"}, // this key exists; cloud-init 25 ignores an empty list
		// With disable_root false, the top-level keys are also authorized for root.
		"disable_root":        false,
		"ssh_authorized_keys": keys,
		"users": []map[string]any{{
			"name":                "strata",
			"shell":               "/bin/bash",
			"sudo":                "ALL=(ALL) NOPASSWD:ALL",
			"lock_passwd":         true,
			"ssh_authorized_keys": keys,
		}},
	}
}

func networkConfig(id Identity) map[string]any {
	host0 := map[string]any{
		"dhcp4":     false,
		"addresses": []string{id.Address.String()},
		"routes":    []map[string]string{{"to": "0.0.0.0/0", "via": id.Gateway.String()}},
	}
	if len(id.DNS) > 0 {
		host0["nameservers"] = map[string]any{"addresses": id.DNS}
	}
	return map[string]any{"version": 2, "ethernets": map[string]any{"host0": host0}}
}
