package node

import (
	"bytes"
	_ "embed"
	"errors"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"
)

// RegistriesFile is the default path of registries.yaml; --private-registry overrides it.
const RegistriesFile = "/etc/rancher/k3s/registries.yaml"

// registries has the fields of registries.yaml that K3s reads (rancher/wharfie pkg/registries).
type registries struct {
	Mirrors map[string]struct {
		Endpoints []string          `yaml:"endpoint"`
		Rewrites  map[string]string `yaml:"rewrite"`
	} `yaml:"mirrors"`
	Configs map[string]registryConfig `yaml:"configs"`
}

type registryConfig struct {
	Auth *struct {
		Username, Password, Auth string
		IdentityToken            string `yaml:"identity_token"`
	} `yaml:"auth"`
	TLS *struct {
		CAFile             string `yaml:"ca_file"`
		CertFile           string `yaml:"cert_file"`
		KeyFile            string `yaml:"key_file"`
		InsecureSkipVerify bool   `yaml:"insecure_skip_verify"`
	} `yaml:"tls"`
}

// registryEndpoint is an address from which containerd pulls images.
type registryEndpoint struct {
	URL          string
	OverridePath bool
	Config       registryConfig
	Rewrites     map[string]string
}

// registryHost has the values for one hosts.toml.
type registryHost struct {
	// Server is the URL of the registry itself. If it is nil, containerd derives the URL from the
	// registry's name.
	Server    *string
	Config    registryConfig
	Endpoints []registryEndpoint
}

//go:embed hosts.toml.tmpl
var hostsTemplate string

// readRegistries reads a registries.yaml. A missing file gives no registries.
func readRegistries(file string) (read registries, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return read, nil
	} else if err != nil {
		return read, err
	}
	return read, yaml.Unmarshal(text, &read)
}

// writeHosts replaces the folder by one that has a hosts.toml for each registry (k3s-io/k3s
// pkg/agent/containerd/config.go, writeContainerdHosts).
func (r registries) writeHosts(folder string) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	parsed, err := template.New("hosts.toml").Parse(hostsTemplate)
	if err != nil {
		return err
	}
	for name, host := range r.hosts() {
		var out bytes.Buffer
		if err := parsed.Execute(&out, host); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(folder, name), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name, "hosts.toml"), out.Bytes(), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// hosts returns the registries that need a hosts.toml, by folder name (k3s-io/k3s
// pkg/agent/containerd/config.go, getHostConfigs).
func (r registries) hosts() map[string]registryHost {
	hosts := map[string]registryHost{}
	names := slices.Collect(maps.Keys(r.Configs))
	for name := range r.Mirrors {
		names = append(names, name)
	}
	for _, name := range names {
		host, folder, server := registryHost{Config: r.configOf(name)}, name, ""
		if name != "*" {
			server = endpointOf(name).URL
		} else {
			folder = "_default"
		}
		if _, configured := r.Configs[name]; name != "*" || !configured {
			host.Server = &server
		}
		for _, address := range r.Mirrors[name].Endpoints {
			endpoint := endpointOf(address)
			endpoint.Config, endpoint.Rewrites = r.configOf(registryOf(address)), r.Mirrors[name].Rewrites
			host.Endpoints = append(host.Endpoints, endpoint)
		}
		if len(host.Endpoints) > 0 || host.Config.Auth != nil || host.Config.TLS != nil {
			hosts[folder] = host
		}
	}
	return hosts
}

// dockerHub is the host that serves docker.io's images.
const dockerHub = "registry-1.docker.io"

func (r registries) configOf(registry string) registryConfig {
	if config, ok := r.Configs[dockerHub]; ok && registry == "docker.io" {
		return config
	}
	return r.Configs[registry]
}

func withScheme(address string) string {
	if strings.Contains(address, "://") {
		return address
	}
	if name, port, _ := strings.Cut(address, ":"); (name == "localhost" || strings.HasPrefix(name, "127.")) && port != "" && port != "443" {
		return "http://" + address
	}
	return "https://" + address
}

// registryOf returns the key in Configs for an endpoint's address.
func registryOf(address string) string {
	parsed, err := url.Parse(withScheme(address))
	if err != nil {
		return ""
	}
	if parsed.Host == dockerHub {
		return "docker.io"
	}
	return parsed.Host
}

// endpointOf returns the URL for an endpoint's address, in the form that containerd expects
// (k3s-io/k3s pkg/agent/containerd/config.go, normalizeEndpointAddress).
func endpointOf(address string) registryEndpoint {
	parsed, err := url.Parse(withScheme(address))
	if err != nil {
		return registryEndpoint{URL: address}
	}
	if parsed.Host == "docker.io" {
		parsed.Host = dockerHub
	}
	override := !slices.Contains([]string{"", "/", "/v2"}, parsed.Path)
	if !override {
		parsed.Path = "/v2"
	}
	return registryEndpoint{URL: parsed.String(), OverridePath: override}
}
