package components

import (
	"fmt"
	"net/netip"
	"strings"

	"strata/config"
	"strata/internal/ssh/remote"
)

// proxyFile is the path, below /etc/rancher/k3s, of the file with the proxy's environment
// variables. The install passes them to K3s's installer, which writes them to the service's
// environment file, readable by root only (k3s-io/k3s install.sh, create_env_file).
const proxyFile = "strata-proxy.env"

// k3sProxy returns the content of proxyFile, in shell syntax; empty if no proxy is configured.
// containerd, the kubelet and the API server, which calls webhooks, use the variables, so NO_PROXY
// has the cluster's own networks and names.
func k3sProxy(k3s config.K3s, nodes netip.Prefix) string {
	if !k3s.Proxy.IsSet() {
		return ""
	}
	domain := k3s.CriticalValues()["cluster-domain"]
	direct := append([]string{
		"localhost", "127.0.0.0/8", nodes.Masked().String(), k3s.ClusterCIDR.String(),
		k3s.ServiceCIDR.String(), ".svc", "." + domain,
	}, k3s.Proxy.NoProxy...)
	var text strings.Builder
	for _, set := range [][2]string{{"HTTP_PROXY", k3s.Proxy.HTTP}, {"HTTPS_PROXY", k3s.Proxy.HTTPS}, {"NO_PROXY", strings.Join(direct, ",")}} {
		if set[1] != "" {
			fmt.Fprintf(&text, "%s=%s\n", set[0], remote.Quote(set[1]))
		}
	}
	return text.String()
}
