package config

// Proxy is the HTTP proxy through which nodes leave their network, for example to registries
// (docs.k3s.io/advanced, Configuring an HTTP proxy). Strata's own transfers to hosts go by SSH, and
// not through it.
type Proxy struct {
	// HTTP is the proxy for http addresses, for example http://proxy.example.org:3128. An address
	// with a user and a password must be encrypted: pulumi config set --secret --path
	// strata:k3s.proxy.http. Default: none.
	HTTP string `json:"http,omitempty"`
	// HTTPS is the same for https addresses, which most registries have. Default: none.
	HTTPS string `json:"https,omitempty"`
	// NoProxy are additional names, addresses, networks, and domains that begin with a dot. Nodes
	// reach them without the proxy. hosts.subnet, the networks and domain of the cluster, and the
	// host itself always bypass it. Default: none.
	NoProxy []string `json:"noProxy,omitempty"`
}

// IsSet reports whether a proxy is configured.
func (p Proxy) IsSet() bool { return p.HTTP != "" || p.HTTPS != "" }
