package node

import (
	"path/filepath"

	"strata/tests/lab/k3s/internal/supervisor"
)

// Config is one node.
type Config struct {
	// DataDir is usually /var/lib/rancher/k3s.
	DataDir string
	// Name and IP are the Node's name and InternalIP.
	Name, IP string
	// SupervisorURL issues certificates: the local load balancer, or the local server.
	SupervisorURL string
	// APIURL is the API server's address for kubelet and kube-proxy: 127.0.0.1:6444 in both cases.
	APIURL string
	// Token is the join token.
	Token string
	// Labels and Taints are those that the Node registers with.
	Labels, Taints []string
	// KubeletArgs and ProxyArgs are the user's "name=value" extras.
	KubeletArgs, ProxyArgs []string
	// FlannelIface is the interface of the pod network; empty: the one that has IP.
	FlannelIface string
	// ResolvConf is kubelet's; empty: the host's when it is usable.
	ResolvConf string
	// Registries is the path of registries.yaml.
	Registries string
	// PauseImage is the sandbox image.
	PauseImage string
	// OnServers is called with the addresses of the servers, host:port, whenever they were asked for.
	// Optional.
	OnServers func(servers []string)
	// ProtectKernelDefaults makes kubelet refuse sysctls that are not its own.
	ProtectKernelDefaults bool

	// cluster is the server's answer.
	cluster supervisor.Config
}

func (c *Config) agentPath(name string) string { return filepath.Join(c.DataDir, "agent", name) }

// Socket is containerd's.
const Socket = "/run/k3s/containerd/containerd.sock"
