package control

import (
	"sort"
	"strings"

	"strata/tests/lab/k3s/internal/pki"
)

// Config configures the control plane.
type Config struct {
	PKI *pki.Server
	// NodeIP is the address that the API server advertises.
	NodeIP string
	// Port is the supervisor's port, to which the kubernetes Service points. The API server listens
	// on 127.0.0.1 at Port+1.
	Port int
	// ClusterCIDR, ServiceCIDR and Domain are the cluster's networks and DNS domain.
	ClusterCIDR, ServiceCIDR, Domain string
	// NodePorts is the range of NodePorts, such as "30000-32767".
	NodePorts string
	// EncryptSecrets turns on encryption at rest with cred/encryption-config.json.
	EncryptSecrets bool
	// EtcdEndpoint is the URL of etcd.
	EtcdEndpoint string
	// APIServerArgs, ControllerArgs and SchedulerArgs are the user's arguments, "name=value". Each
	// replaces the default argument of the same name.
	APIServerArgs, ControllerArgs, SchedulerArgs []string
}

// merge returns a sorted argument list of the defaults and the user's arguments. A user's argument
// replaces the default of the same name. A name that the user gives twice is passed twice.
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
