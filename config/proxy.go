package config

import (
	"net/netip"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Proxy is the HTTP proxy for the nodes' outgoing connections, for example to registries
// (docs.k3s.io/advanced, Configuring an HTTP proxy). Strata's own transfers to hosts use SSH, not
// the proxy.
type Proxy struct {
	// HTTP is the proxy for http addresses, for example http://proxy.example.org:3128. An address
	// with a user and a password must be encrypted: pulumi config set --secret --path
	// strata:k3s.proxy.http. Default: none.
	HTTP string `json:"http,omitempty"`
	// HTTPS is the proxy for https addresses, which most registries have. Default: none.
	HTTPS string `json:"https,omitempty"`
	// NoProxy are additional names, addresses, networks, and domains that begin with a dot. Nodes
	// reach them without the proxy. hosts.subnet, the networks and domain of the cluster, and the
	// host itself always bypass it. Default: none.
	NoProxy []string `json:"noProxy,omitempty"`
}

// IsSet reports whether a proxy is configured.
func (p Proxy) IsSet() bool { return p.HTTP != "" || p.HTTPS != "" }

// checkProxy checks the proxies. It shows no address of a proxy, which may contain a password.
func (c *Config) checkProxy(ps *problems) {
	given := c.K3s.Proxy
	for key, address := range given.addresses() {
		ps.addIf(address != "" && !isProxy(address), key, "", "is not the address of an HTTP proxy",
			"write for example http://proxy.example.org:3128, with what is special in a password percent-encoded")
	}
	ps.addIf(len(given.NoProxy) > 0 && !given.IsSet(), field("k3s.proxy.noProxy"),
		strings.Join(given.NoProxy, ", "), "is set, and no proxy is",
		"set k3s.proxy.https, or remove it")
	for i, name := range given.NoProxy {
		ps.addIf(!isBypass(name), field("k3s.proxy.noProxy[%d]", i), name,
			"is not a DNS name, a domain that begins with a dot, an address or a network",
			"write each as an entry of its own, without scheme and port")
	}
}

// addresses returns the addresses of the proxies, by their configuration keys.
func (p Proxy) addresses() map[string]string {
	return map[string]string{field("k3s.proxy.http"): p.HTTP, field("k3s.proxy.https"): p.HTTPS}
}

// isProxy reports whether a text is the address of a proxy that can be written to a file of shell
// variables.
func isProxy(text string) bool {
	parsed, ok := webAddress(text)
	return ok && strings.Trim(parsed.Path, "/") == "" && !strings.ContainsAny(text, "'\"\\$` \t")
}

// isBypass reports whether both Go and curl accept a text in NO_PROXY
// (golang.org/x/net/http/httpproxy, Config.NoProxy).
func isBypass(text string) bool {
	if _, err := netip.ParsePrefix(text); err == nil {
		return true
	}
	_, err := netip.ParseAddr(text)
	return err == nil || len(validation.IsDNS1123Subdomain(strings.TrimPrefix(text, "."))) == 0
}

// plainProxy refuses a plain password in the stack file's address of a proxy: it would be in the
// repository, and in Pulumi's record of each update.
func (d *decoder) plainProxy(given Proxy) (ps problems) {
	for key, address := range given.addresses() {
		ps.addIf(d.isPlain("k3s") && hasLogin(address), key, "",
			"has a user or a password in it, and is not encrypted",
			"run: pulumi config set --secret --path "+key)
	}
	return ps
}
