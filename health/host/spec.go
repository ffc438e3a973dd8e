package host

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/internal/k3shost"
)

// Kind gates one host before anything is installed on it.
const Kind health.Kind = "host"

// Spec configures the gate of one host.
type Spec struct {
	// Peers are the names of the other nodes. The host's hostname must not be one of them, because
	// two hosts with one name overwrite each other's Node.
	Peers []string `json:"peers,omitempty"`
	// Modules are the kernel features that must be loaded or built in, for example br_netfilter.
	Modules []string `json:"modules"`
	// Ports are the TCP ports that must be free or used by K3s.
	Ports []int `json:"ports,omitempty"`
	// MinDiskMiB is the free space, in MiB, that the file system of K3s's data directory must have.
	MinDiskMiB int `json:"minDiskMiB"`
	// MinMemoryMiB is the total memory that the host must have, in MiB.
	MinMemoryMiB int `json:"minMemoryMiB"`
	// MaxClockSkew limits the difference between the host's clock and this machine's.
	MaxClockSkew metav1.Duration `json:"maxClockSkew"`
	// K3s is the version that the host is to run, for example v1.36.3+k3s1. An installed version
	// must be upgradable to this version in one step. Empty: not checked.
	K3s string `json:"k3s,omitempty"`
	// Owner is the expected owner of the host. It is nil if the stack's state is from a release
	// without owner marks. Its Cluster is empty while the cluster's identity is unknown.
	Owner *k3shost.Owner `json:"owner,omitempty"`
	// Fixed are the K3s settings that cannot change once a server has data (config.FixedValues).
	// Empty: not checked.
	Fixed map[string]string `json:"fixed,omitempty"`
	// CgroupV1 is true if the kubelet is configured to run on cgroup v1 as well
	// (fail-cgroupv1=false).
	CgroupV1 bool `json:"cgroupV1,omitempty"`
	// Programs must be installed on the host, for example keepalived.
	Programs []string `json:"programs,omitempty"`
	// IPVS is true when kube-proxy runs in IPVS mode; otherwise ip_vs is Skipped.
	IPVS bool `json:"ipvs,omitempty"`
}

// Traits implements health.Body.
func (Spec) Traits() health.Traits {
	return health.Traits{Kind: Kind, OneHost: true,
		NoServers: true}
}

// Validate implements health.Body.
func (Spec) Validate(health.Need) {}
