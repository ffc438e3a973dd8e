package control

import (
	"sort"
	"strings"

	"strata/tests/lab/k3s/internal/pki"
)

// Config configures the control plane.
type Config struct {
	PKI *pki.Server
	// NodeIP is advertised as this API server's address.
	NodeIP string
	// Port is the supervisor's port, which the kubernetes Service points to; the API server's own
	// listener is on 127.0.0.1, one above.
	Port int
	// ClusterCIDR, ServiceCIDR and Domain are the cluster's networks and DNS domain.
	ClusterCIDR, ServiceCIDR, Domain string
	// NodePorts is the NodePort range, "30000-32767".
	NodePorts string
	// EncryptSecrets turns on encryption at rest with cred/encryption-config.json.
	EncryptSecrets bool
	// EtcdEndpoint is etcd's address.
	EtcdEndpoint string
	// APIServerArgs, ControllerArgs and SchedulerArgs are the user's "name=value" extras; they win.
	APIServerArgs, ControllerArgs, SchedulerArgs []string
}

// merge turns defaults and the user's extras into a stable argument list. A user's value replaces
// the default; a name given twice by the user is passed twice.
func merge(defaults map[string]string, extra []string) []string {
	var args []string
	for _, arg := range extra {
		arg = strings.TrimLeft(arg, "-")
		name, _, _ := strings.Cut(arg, "=")
		delete(defaults, name)
		args = append(args, "--"+arg)
	}
	for name, value := range defaults {
		args = append(args, "--"+name+"="+value)
	}
	sort.Strings(args)
	return args
}
