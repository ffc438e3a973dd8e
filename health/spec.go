package health

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/tunnel"
)

// Spec configures a gate. It is sent as JSON on the gate command's stdin and stored in the state,
// so it holds no secret. Secrets come in the environment (Secrets).
type Spec struct {
	// Gate is the gate's name in messages, and the name of its resource.
	Gate string `json:"gate"`
	// Layer is the layer's name in messages, for example k3s.
	Layer string `json:"layer"`
	// Timeout limits the gate's whole run.
	Timeout metav1.Duration `json:"timeout"`
	// TimeoutKey is the configuration key that sets Timeout, for example strata:timeouts.api.
	TimeoutKey string `json:"timeoutKey"`
	// Revision is a digest of the configuration of the checked resources (chart version, values,
	// config.yaml). A change of Revision makes the gate run again. The checks do not read it.
	Revision string `json:"revision,omitempty"`
	// Hosts are the hosts that the gate observes, or from which it observes.
	Hosts []Host `json:"hosts,omitempty"`
	// Servers are the API servers, as https://address:port.
	Servers []string `json:"servers,omitempty"`
	// Existing is true if the servers belong to an existing cluster, on whose hosts Strata cannot
	// log in.
	Existing bool `json:"existing,omitempty"`
	// Images maps an image's full name, such as docker.io/library/redis:8, to its digests in
	// strata.lock. A workload does not pass while a node reports another digest of that repository
	// for the image. Only kinds that judge workloads have Images. Empty: nothing is compared.
	Images map[string][]string `json:"images,omitempty"`
	// Releases are Helm releases, as namespace/name. The permissions of their roles must be in
	// effect. Only kinds that judge workloads have Releases.
	Releases []string `json:"releases,omitempty"`
	// Body configures the checks. It is the Spec type of the kind's package.
	Body Body `json:"-"`
}

// Kind returns the kind of the Spec's body; empty without one.
func (s Spec) Kind() Kind {
	if s.Body == nil {
		return ""
	}
	return s.Body.Traits().Kind
}

// Tunnel returns the tunnel through the hosts' jump host, for the addresses of the API and the load
// balancer. It is empty if the hosts have no jump host.
func (s Spec) Tunnel() tunnel.Spec {
	return tunnel.First(s.Hosts, func(host Host) remote.Target { return host.Target })
}

// Host describes a host to a gate.
type Host struct {
	remote.Target
	// Role is server or agent; it selects the unit (k3s or k3s-agent).
	Role string `json:"role"`
}

// Secrets holds the inputs of a gate that must not be stored or shown. They come in the
// environment.
type Secrets struct {
	// SSHKey is the PEM private key for Hosts (STRATA_SSH_KEY).
	SSHKey []byte
	// HypervisorKey is the PEM private key for the hypervisor of kind vm (STRATA_HYPERVISOR_KEY).
	HypervisorKey []byte
	// Kubeconfig is the cluster's kubeconfig (STRATA_KUBECONFIG).
	Kubeconfig []byte
	// BasicAuth is user:password for the HTTP probes that ask for it (STRATA_BASIC_AUTH).
	BasicAuth []byte
	// APIKey is for the HTTP probes that send it in a header, and for the data plane's admin API
	// (STRATA_API_KEY).
	APIKey []byte
	// Reader is true if the kubeconfig has only read access, without Secrets, so that some checks
	// are not possible. It is never set from the environment, so a gate in a run of the stack makes
	// all checks.
	Reader bool
}
