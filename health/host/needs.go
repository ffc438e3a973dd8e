package host

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// K3s's requirements of a host: https://docs.k3s.io/installation/requirements. The memory limits
// leave room for the share that firmware and kernel take from a host sold with 2 GiB and 512 MiB.
const (
	serverMemoryMiB = 1800
	agentMemoryMiB  = 450
	diskMiB         = 2048
	MaxClockSkew    = 30 * time.Second // etcd and certificates tolerate less than a minute
)

// Needs returns the requirements of a host of a role before K3s is installed on it. The gate and
// the preflight use the same ones.
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
