package components

import (
	"fmt"
	"net/netip"
	"strings"

	"strata/config"
	"strata/internal/ssh/remote"
)

// proxyFile is the path of a file below /etc/rancher/k3s. Its variables go to K3s's installer,
// which keeps them for the service in a file that only root can read (k3s-io/k3s install.sh,
// create_env_file).
const proxyFile = "strata-proxy.env"

// k3sProxy returns the node's file of proxy variables, in shell syntax; empty without a proxy. K3s
// passes them to containerd. The kubelet and the API server, which calls webhooks, use them too, so
// traffic inside the cluster must bypass the proxy.
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
