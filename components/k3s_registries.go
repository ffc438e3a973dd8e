package components

import (
	"sigs.k8s.io/yaml"

	"strata/config"
	"strata/internal/files/digest"
)

const (
	// registriesHeader is the first line of registries.yaml, by which the install recognizes a file
	// that Strata wrote.
	registriesHeader = "# Written by Strata from strata:k3s.registries; edit it there.\n"
	// registriesCAs is the folder, below /etc/rancher/k3s, with the CAs of registries.
	registriesCAs = "registries.d/"
)

// k3sRegistries returns the contents of registries.yaml (docs.k3s.io/installation/private-registry)
// and of its CA files, by their paths below /etc/rancher/k3s. It returns an empty map without
// registries. A CA file is named after a digest of its content: a running K3s still finds the old
// file, and a changed CA changes registries.yaml, which restarts K3s.
func k3sRegistries(registries []config.Registry) (map[string]string, error) {
	files := map[string]string{}
	if len(registries) == 0 {
		return files, nil
	}
	mirrors, configs := map[string]any{}, map[string]any{}
	for _, registry := range registries {
		reached := registryConfig(registry, files)
		if len(reached) > 0 {
			configs[registryHost(registry.Name)] = reached
		}
		// An entry with neither mirrors nor settings is a mirror for K3s's embedded registry.
		// containerd looks up TLS settings by the registry's name in the image, and a login by the
		// host. K3s writes the TLS settings for both if the registry is also a mirror (k3s-io/k3s
		// pkg/agent/containerd/config.go, configForHost).
		renamed := registryHost(registry.Name) != registry.Name && reached["tls"] != nil
		if len(registry.Mirrors) > 0 || len(reached) == 0 || renamed {
			mirrors[registry.Name] = registryMirror(registry)
		}
	}
	text, err := yaml.Marshal(map[string]any{"mirrors": mirrors, "configs": configs})
	files["registries.yaml"] = registriesHeader + string(text)
	return files, err
}

// registryHost returns the host name by which containerd looks up a registry's login. For docker.io
// this is registry-1.docker.io (containerd pkg/cri/server/image_pull.go, registryHosts;
// containerd/reference/docker, DefaultHost).
func registryHost(name string) string {
	if name == "docker.io" {
		return "registry-1.docker.io"
	}
	return name
}

func registryMirror(registry config.Registry) map[string]any {
	mirror := map[string]any{}
	if len(registry.Mirrors) > 0 {
		mirror["endpoint"] = registry.Mirrors
	}
	if len(registry.Rewrites) > 0 {
		mirror["rewrite"] = registry.Rewrites
	}
	return mirror
}

// registryConfig returns the registry's login and TLS settings for registries.yaml; empty if there
// are none. It adds the registry's CA to files, by the path below /etc/rancher/k3s.
func registryConfig(registry config.Registry, files map[string]string) map[string]any {
	reached, tls := map[string]any{}, map[string]any{}
	if registry.Username != "" {
		reached["auth"] = map[string]any{"username": registry.Username,
			"password": registry.Password}
	}
	if registry.CA != "" {
		file := registriesCAs + digest.Short([]byte(registry.CA)) + ".crt"
		files[file] = registry.CA
		tls["ca_file"] = "/etc/rancher/k3s/" + file
	}
	if registry.InsecureSkipVerify {
		tls["insecure_skip_verify"] = true
	}
	if len(tls) > 0 {
		reached["tls"] = tls
	}
	return reached
}
