package config

// Registries are mirrors of container registries, and how nodes reach them. They become registries.yaml, K3s's own file for that
// (docs.k3s.io/installation/private-registry), on every node.
type Registries struct {
	// Mirrors are asked in place of a registry, by its name as an image's has it: docker.io, quay.io, or * for each that is not named here.
	// Default: none.
	Mirrors map[string]RegistryMirror `json:"mirrors,omitempty"`
	// Configs say how a registry or a mirror is reached, by its host as an endpoint has it, with its port where that is not the scheme's:
	// mirror.example.org:5000. Default: none; without a login, and with the CAs that the host trusts.
	Configs map[string]RegistryConfig `json:"configs,omitempty"`
}

// RegistryMirror stands in for a registry.
type RegistryMirror struct {
	// Endpoints are the mirror's addresses, for example https://mirror.example.org/v2/hub; they are asked in their order, and the registry
	// itself last, unless disable-default-registry-endpoint is among k3s.serverArgs and k3s.agentArgs. Default: none, which is of use with
	// embedded-registry only.
	Endpoints []string `json:"endpoints,omitempty"`
	// Rewrites say what the endpoints call an image, by a regular expression of Go's: "^library/(.*)": "hub/$1". Default: none, the same.
	Rewrites map[string]string `json:"rewrites,omitempty"`
}

// RegistryConfig is how a registry is reached.
type RegistryConfig struct {
	// Username and Password log in. Default: none.
	Username string `json:"username,omitempty"`
	// Password must be encrypted: pulumi config set --secret --path 'strata:k3s.registries.configs["mirror.example.org"].password'.
	// Default: none.
	Password string `json:"password,omitempty"`
	// CA is the certificate in PEM of the CA that signs for the registry. Default: those that the host trusts.
	CA string `json:"ca,omitempty"`
	// InsecureSkipVerify takes whatever certificate the registry shows. Default false.
	InsecureSkipVerify bool `json:"insecureSkipVerify,omitempty"`
}

// IsZero reports whether none is configured: nodes keep a registries.yaml that somebody else wrote.
func (r Registries) IsZero() bool { return len(r.Mirrors) == 0 && len(r.Configs) == 0 }
