package node

import (
	"path/filepath"

	"strata/tests/lab/k3s/internal/supervisor"
)

// Config configures a node.
type Config struct {
	// DataDir is usually /var/lib/rancher/k3s.
	DataDir string
	// Name and IP are the Node's name and InternalIP.
	Name, IP string
	// SupervisorURL is the URL of the certificates' issuer: the local load balancer on an agent,
	// and the local supervisor on a server.
	SupervisorURL string
	// APIURL is the API server's URL for kubelet and kube-proxy. By default it is
	// https://127.0.0.1:6444 on agents and servers.
	APIURL string
	// Token is the token that the node joins with.
	Token string
	// Labels and Taints are set when the Node is registered.
	Labels, Taints []string
	// KubeletArgs and ProxyArgs are the user's arguments for kubelet and kube-proxy, "name=value".
	KubeletArgs, ProxyArgs []string
	// FlannelIface is the interface of the Pod network. Default: the interface that has IP.
	FlannelIface string
	// ResolvConf is the resolv.conf for kubelet. Default: the host's, if Pods can use it.
	ResolvConf string
	// Registries is the path of registries.yaml.
	Registries string
	// PauseImage is the image of Pod sandboxes.
	PauseImage string
	// OnServers receives the servers' addresses (host:port) each time they are read. Optional.
	OnServers func(servers []string)
	// ProtectKernelDefaults makes kubelet fail if a sysctl differs from the value that it expects.
	ProtectKernelDefaults bool

	// cluster is the configuration that the server returned.
	cluster supervisor.Config
}

func (c *Config) agentPath(name string) string { return filepath.Join(c.DataDir, "agent", name) }

// Socket is the path of containerd's socket.
const Socket = "/run/k3s/containerd/containerd.sock"
