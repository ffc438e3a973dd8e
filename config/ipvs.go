package config

import (
	"fmt"
	"strings"
)

// UsesIPVS reports whether kube-proxy is configured for IPVS mode, which needs the host's ip_vs
// modules. K3s passes kube-proxy-arg through (https://docs.k3s.io/cli/agent).
func (k K3s) UsesIPVS() bool {
	for _, args := range k.args() {
		for _, written := range args.keysOf("kube-proxy-arg") {
			if strings.Contains(fmt.Sprint(args.set[written]), "proxy-mode=ipvs") {
				return true
			}
		}
	}
	return false
}
