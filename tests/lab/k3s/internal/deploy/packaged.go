package deploy

import (
	"embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed manifests/*.yaml
var packaged embed.FS

// absent are components that K3s packages and the lab does not have. Disabling them is allowed.
var absent = []string{"traefik", "servicelb", "local-storage", "runtimes", "gateway-api-crd"}

// alwaysOn are the components that cannot be disabled.
var alwaysOn = []string{"rolebindings"}

// Values are the values for the placeholders in the packaged manifests.
type Values struct {
	ClusterDNS, ClusterDomain string
	// CoreDNSImage and MetricsImage are the references of the images to run.
	CoreDNSImage, MetricsImage string
}

func (v Values) render(data []byte) []byte {
	return []byte(strings.NewReplacer(
		"%{CLUSTER_DNS}%", v.ClusterDNS, "%{CLUSTER_DOMAIN}%", v.ClusterDomain,
		"%{COREDNS_IMAGE}%", v.CoreDNSImage, "%{METRICS_IMAGE}%", v.MetricsImage,
	).Replace(string(data)))
}

// Stage writes the packaged manifests that are not disabled to dir, and deletes the disabled ones
// from dir. It returns the disabled manifests, so that the caller can delete their objects.
func Stage(dir string, disabled []string, v Values) (removed map[string][]byte, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	entries, err := packaged.ReadDir("manifests")
	if err != nil {
		return nil, err
	}
	removed = map[string][]byte{}
	for _, entry := range entries {
		data, err := packaged.ReadFile(path.Join("manifests", entry.Name()))
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(entry.Name(), ".yaml")
		file := filepath.Join(dir, entry.Name())
		if slices.Contains(disabled, name) && !slices.Contains(alwaysOn, name) {
			removed[name] = v.render(data)
			if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
				return nil, err
			}
			continue
		}
		if err := os.WriteFile(file, v.render(data), 0o600); err != nil {
			return nil, err
		}
	}
	return removed, nil
}

// Missing returns the components that K3s would deploy and the lab does not have, without the
// disabled ones.
func Missing(disabled []string) []string {
	var names []string
	for _, name := range absent {
		if !slices.Contains(disabled, name) && name != "runtimes" && name != "gateway-api-crd" { // K3s before v1.37 does not deploy these CRDs
			names = append(names, name)
		}
	}
	return names
}

// CheckDisable returns a warning for each disabled name that is no packaged component. Like K3s, it
// rejects nothing.
func CheckDisable(disabled []string) (warnings []string) {
	known := append([]string{"coredns", "metrics-server"}, absent...)
	for _, name := range disabled {
		if _, err := os.Stat(name); !slices.Contains(known, name) && os.IsNotExist(err) {
			warnings = append(warnings, fmt.Sprintf("--disable=%s names no packaged component (valid: %s)", name, strings.Join(known, ", ")))
		}
	}
	return warnings
}
