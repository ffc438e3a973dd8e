package config

import (
	"cmp"
	"net/netip"
	"net/url"

	"golang.org/x/net/http/httpproxy"
)

// apiPort is the port of K3s's API server (docs.k3s.io/installation/requirements); serverArgs must
// not change it.
const apiPort = 6443

// CheckEnvironment returns a Problem if this machine's proxy variables apply to an API server.
// Pulumi's Kubernetes provider would send its requests through the proxy
// (golang.org/x/net/http/httpproxy), but SSH and the address gates would not. Load does not check
// this, because a download needs no host. getenv is os.Getenv.
func (c *Config) CheckEnvironment(getenv func(string) string) error {
	variable := "HTTPS_PROXY"
	if getenv(variable) == "" {
		variable = "https_proxy"
	}
	if c.Hosts.SSH.DynamicForward != 0 {
		return nil // the kubeconfig names the tunnel as its proxy, and no variable counts beside that
	}
	ask := (&httpproxy.Config{HTTPSProxy: getenv(variable),
		NoProxy: cmp.Or(getenv("NO_PROXY"), getenv("no_proxy"))}).ProxyFunc()
	var ps problems
	for _, address := range c.apiAddresses() {
		server := &url.URL{Scheme: "https", Host: netip.AddrPortFrom(address, apiPort).String()}
		if proxy, err := ask(server); err != nil || proxy != nil {
			ps.add(variable, "", "is set in this environment, and what is for the API server "+
				server.String()+" would go through that proxy",
				"add "+c.Hosts.Subnet.Masked().String()+" to the variable NO_PROXY")
			break
		}
	}
	return ps.err()
}

// apiAddresses returns the servers' addresses and, if there is one, the virtual address, which a
// kubeconfig names instead.
func (c *Config) apiAddresses() (all []netip.Addr) {
	for _, node := range c.Hosts.Nodes {
		if node.Role == RoleServer {
			all = append(all, node.Address)
		}
	}
	if c.K3s.VIP.IsValid() {
		all = append(all, c.K3s.VIP)
	}
	return all
}
