package host

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// K3s's requirements for a host: https://docs.k3s.io/installation/requirements. The memory limits
// are below 2 GiB (server) and 512 MiB (agent), because firmware and kernel take a share of a
// host's memory.
const (
	serverMemoryMiB = 1800
	agentMemoryMiB  = 450
	diskMiB         = 2048
	MaxClockSkew    = 30 * time.Second // etcd and certificates tolerate less than a minute
)

// Needs returns the requirements for a host of a role before K3s is installed on it. The gate and
// the preflight share them.
func Needs(role string, ipvs, vip bool) Spec {
	spec := Spec{
		Modules:      []string{"br_netfilter", "overlay", "ip_vs"},
		Ports:        []int{10250},
		MinDiskMiB:   diskMiB,
		MinMemoryMiB: agentMemoryMiB,
		MaxClockSkew: metav1.Duration{Duration: MaxClockSkew},
		IPVS:         ipvs,
	}
	if role == "server" {
		spec.Ports = []int{2379, 2380, 6443, 10250}
		spec.MinMemoryMiB = serverMemoryMiB
		if vip {
			spec.Programs = []string{"keepalived"} // 2.0 or later: Debian 10, Ubuntu 20.04
		}
	}
	return spec
}
