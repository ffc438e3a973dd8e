package components

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"strata/config"
)

const (
	// nextFile is a line of an install's stdin: what follows is another file below /etc/rancher/k3s. No YAML that is written out has a
	// comment, and no certificate.
	nextFile = "# file: "
	// registriesHeader is the first line of a registries.yaml that Strata has written. The install knows its own file by it.
	registriesHeader = "# Written by Strata from strata:k3s.registries; edit it there.\n"
	// registriesCAs is the folder below /etc/rancher/k3s that has the registries' CAs.
	registriesCAs = "registries.d/"
)

// k3sRegistries is what follows config.yaml on the install's stdin: registries.yaml (docs.k3s.io/installation/private-registry) and the
// CAs that it names; empty where no registry is configured. A CA's file is named by what is in it, so that a K3s which runs finds the old one until
// it starts again, and registries.yaml alone says whether it has to.
func k3sRegistries(registries config.Registries) (string, error) {
	if registries.IsZero() {
		return "", nil
	}
	files := map[string]string{}
	text, err := yaml.Marshal(map[string]any{"mirrors": mirrorKeys(registries.Mirrors), "configs": registryKeys(registries.Configs, files)})
	if err != nil {
		return "", err
	}
	files["registries.yaml"] = registriesHeader + string(text)
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&all, "%s%s\n%s\n", nextFile, name, strings.TrimSuffix(files[name], "\n"))
	}
	return all.String(), nil
}

func mirrorKeys(mirrors map[string]config.RegistryMirror) map[string]any {
	keys := map[string]any{}
	for name, mirror := range mirrors {
		one := map[string]any{}
		if len(mirror.Endpoints) > 0 {
			one["endpoint"] = mirror.Endpoints
		}
		if len(mirror.Rewrites) > 0 {
			one["rewrite"] = mirror.Rewrites
		}
		keys[name] = one
	}
	return keys
}

// registryKeys adds the CAs to files, by their path below /etc/rancher/k3s.
func registryKeys(registries map[string]config.RegistryConfig, files map[string]string) map[string]any {
	keys := map[string]any{}
	for name, registry := range registries {
		one, tls := map[string]any{}, map[string]any{}
		if registry.Username != "" {
			one["auth"] = map[string]any{"username": registry.Username, "password": registry.Password}
		}
		if registry.CA != "" {
			sum := sha256.Sum256([]byte(registry.CA))
			file := registriesCAs + hex.EncodeToString(sum[:8]) + ".crt"
			files[file] = registry.CA
			tls["ca_file"] = "/etc/rancher/k3s/" + file
		}
		if registry.InsecureSkipVerify {
			tls["insecure_skip_verify"] = true
		}
		if len(tls) > 0 {
			one["tls"] = tls
		}
		keys[name] = one
	}
	return keys
}
