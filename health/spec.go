package health

import (
	"net/netip"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/hypervisor"
	"strata/internal/k3shost"
	"strata/internal/kube/apiserver"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/tunnel"
)

// Kind selects the observations and the judgement of a gate.
type Kind string

const (
	// KindHost gates one host before anything is installed on it.
	KindHost Kind = "host"
	// KindServer gates one K3s server: its unit, and /ping without credentials.
	KindServer Kind = "server"
	// KindAPI gates every API server: authenticated /readyz.
	KindAPI Kind = "api"
	// KindNodes gates the exact node set: each unit on its host, each Node Ready, none missing,
	// none extra.
	KindNodes Kind = "nodes"
	// KindSystem gates K3s's own deployments: default ServiceAccount, CoreDNS, metrics APIService and
	// the metrics of each Node.
	KindSystem Kind = "system"
	// KindWebhook gates an admission webhook: it serves, through every API server and from every
	// server host.
	KindWebhook Kind = "webhook"
	// KindPool gates a MetalLB address pool: accepted by the running controller and by every
	// speaker.
	KindPool Kind = "pool"
	// KindCRDs gates custom resource definitions: Established, and served by every API server.
	KindCRDs Kind = "crds"
	// KindRollout gates workloads: the newest revision of each serves and no older one is left.
	KindRollout Kind = "rollout"
	// KindIssuer gates a cert-manager Issuer or ClusterIssuer: Ready, at its newest generation.
	KindIssuer Kind = "issuer"
	// KindCertificate gates a cert-manager Certificate: Ready, and its Secret holds a pair that
	// clients can verify.
	KindCertificate Kind = "certificate"
	// KindVM gates a virtual machine from outside: it runs, and has its address where DHCP gives
	// it.
	KindVM Kind = "vm"
	// KindClaim gates a PersistentVolumeClaim: bound to a volume.
	KindClaim Kind = "claim"
	// KindVault gates a Vault server in the cluster: initialised, unsealed and active.
	KindVault Kind = "vault"
	// KindAddress gates a Service of type LoadBalancer: its address answers, from here and from the
	// hosts.
	KindAddress Kind = "address"
	// KindGateway gates a Gateway with its GatewayClass: accepted and programmed, every listener of
	// it.
	KindGateway Kind = "gateway"
	// KindHTTP gates URLs at a Service's LoadBalancer address: each answers as it must, under a
	// certificate that verifies.
	KindHTTP Kind = "http"
	// KindMetrics gates the metrics of a Service in the cluster: each expected series has a sample.
	KindMetrics Kind = "metrics"
	// KindUpstreams gates the routes in APISIX's data plane: in each of its Pods the addresses of
	// the Pods that are ready, and no others.
	KindUpstreams Kind = "upstreams"
	// KindApplications gates ArgoCD Applications: each Synced and Healthy, as it is specified now.
	KindApplications Kind = "applications"
	// KindNamespace gates the end of a namespace that is being deleted. One that stays has no end
	// to wait for.
	KindNamespace Kind = "namespace"
)

// Kinds are all kinds, by name.
var Kinds = []Kind{
	KindAddress, KindAPI, KindApplications, KindCertificate, KindClaim, KindCRDs, KindGateway, KindHost, KindHTTP, KindIssuer, KindMetrics,
	KindNamespace, KindNodes, KindPool, KindRollout, KindServer, KindSystem, KindUpstreams, KindVault, KindVM, KindWebhook,
}

// Spec configures a gate. It travels as JSON on the gate command's stdin and is stored in the
// state, so it holds no secret: those come in the environment (Secrets).
type Spec struct {
	// Kind selects the checks.
	Kind Kind `json:"kind"`
	// Gate is the gate's name in messages, the same as its resource's.
	Gate string `json:"gate"`
	// Layer is the layer's name in messages, for example k3s.
	Layer string `json:"layer"`
	// Timeout bounds the whole wait.
	Timeout metav1.Duration `json:"timeout"`
	// TimeoutKey is the configuration key that sets Timeout, for example strata:timeouts.api.
	TimeoutKey string `json:"timeoutKey"`
	// Revision is a digest of the gate's subject (chart version, values, config.yaml). It makes the
	// gate run again when that changes; the checks do not read it.
	Revision string `json:"revision,omitempty"`
	// Hosts are the hosts that the gate observes, or observes from.
	Hosts []Host `json:"hosts,omitempty"`
	// Servers are the API servers, as https://address:port. Each one is asked.
	Servers []string `json:"servers,omitempty"`
	// Existing is true of the servers of an existing cluster, on whose hosts we cannot log in.
	Existing bool `json:"lent,omitempty"`
	// Images are the digests that strata.lock has for each image, by its whole name such as
	// docker.io/library/redis:8. A workload is not rolled out while a node reports another digest
	// of that repository for it. Only kinds that judge workloads have them. Empty: nothing is
	// compared.
	Images map[string][]string `json:"images,omitempty"`
	// Releases are Helm releases, as namespace/name. What their roles permit must be in effect. Only
	// kinds that judge workloads have them.
	Releases []string `json:"releases,omitempty"`

	// Each of these configures one kind.
	Host         *HostSpec         `json:"host,omitempty"`
	VM           *hypervisor.Spec  `json:"vm,omitempty"`
	Nodes        *NodesSpec        `json:"nodes,omitempty"`
	System       *SystemSpec       `json:"system,omitempty"`
	Webhook      *WebhookSpec      `json:"webhook,omitempty"`
	Pool         *PoolSpec         `json:"pool,omitempty"`
	CRDs         *CRDsSpec         `json:"crds,omitempty"`
	Rollout      *RolloutSpec      `json:"rollout,omitempty"`
	Issuer       *IssuerSpec       `json:"issuer,omitempty"`
	Certificate  *CertificateSpec  `json:"certificate,omitempty"`
	Claim        *ClaimSpec        `json:"claim,omitempty"`
	Vault        *VaultSpec        `json:"vault,omitempty"`
	Address      *AddressSpec      `json:"address,omitempty"`
	Gateway      *GatewaySpec      `json:"gateway,omitempty"`
	HTTP         *HTTPSpec         `json:"http,omitempty"`
	Metrics      *MetricsSpec      `json:"metrics,omitempty"`
	Upstreams    *UpstreamsSpec    `json:"upstreams,omitempty"`
	Applications *ApplicationsSpec `json:"applications,omitempty"`
	Namespace    *NamespaceSpec    `json:"namespace,omitempty"`
}

// Tunnel returns the way to addresses that only a jump host reaches, the API's and the load
// balancer's; none if the hosts have none.
func (s Spec) Tunnel() tunnel.Spec {
	return tunnel.First(s.Hosts, func(host Host) remote.Target { return host.Target })
}

// Host is a host as a gate knows it.
type Host struct {
	remote.Target
	// Role is server or agent; it selects the unit (k3s or k3s-agent).
	Role string `json:"role"`
}

// HostSpec configures the gate of one host.
type HostSpec struct {
	// Peers are the other nodes' names, which must not be this host's: two hosts of one name
	// replace each other's Node.
	Peers []string `json:"peers,omitempty"`
	// Modules are the kernel features that must be loaded or built in, for example br_netfilter.
	Modules []string `json:"modules"`
	// Ports are the TCP ports that must be free or held by this cluster's own K3s.
	Ports []int `json:"ports,omitempty"`
	// MinDiskMiB is the free space that K3s's data directory needs, in MiB.
	MinDiskMiB int `json:"minDiskMiB"`
	// MinMemoryMiB is the host's total memory, in MiB.
	MinMemoryMiB int `json:"minMemoryMiB"`
	// MaxClockSkew bounds the difference of the host's clock from this machine's.
	MaxClockSkew metav1.Duration `json:"maxClockSkew"`
	// K3s is the version that the host is to run, for example v1.36.3+k3s1. One that is there
	// already must be able to go there in one step. Empty: not checked.
	K3s string `json:"k3s,omitempty"`
	// Owner is the expected owner of the host. It is nil in a state from before there were marks;
	// it has no cluster while the cluster's identity is unknown.
	Owner *k3shost.Owner `json:"owner,omitempty"`
	// Fixed are the values that a server cannot change any more once it has data
	// (config.FixedValues). Empty: not checked.
	Fixed map[string]string `json:"fixed,omitempty"`
	// CgroupV1 is true where the kubelet is told to run on cgroup v1 as well (fail-cgroupv1=false).
	CgroupV1 bool `json:"cgroupV1,omitempty"`
	// Programs are those that the host must have, for example keepalived.
	Programs []string `json:"programs,omitempty"`
	// IPVS is true when kube-proxy runs in IPVS mode; otherwise ip_vs is Skipped.
	IPVS bool `json:"ipvs,omitempty"`
}

// NodesSpec configures the gate of the node set.
type NodesSpec struct {
	// PodNetwork is the cluster's Pod network, such as 10.42.0.0/16. Every host must then have a
	// route inside it to the Pods of every other Node, as flannel writes them, and get an answer
	// there. Empty: nothing of it is checked, because another CNI plugin may need no route.
	PodNetwork netip.Prefix `json:"podNetwork,omitzero"`
	// Backend is flannel's, such as vxlan: it says by which port of UDP packets go from node to
	// node.
	Backend string `json:"backend,omitempty"`
	// Kubelets is true where each host must get an answer from every other Node's kubelet:
	// metrics-server asks it, from whichever node it is on.
	Kubelets bool `json:"kubelets,omitempty"`
	// Settings are the labels and taints that Nodes must have, by the Node's name.
	Settings map[string]apiserver.NodeSettings `json:"settings,omitempty"`
	// Registered takes the Nodes that there are for those that are expected: those of an existing
	// cluster are not configured here, and none of its hosts can be asked. At least one must be
	// there, and each must be Ready.
	Registered bool `json:"registered,omitempty"`
}

// SystemSpec says which of the components that K3s packages the cluster need not have.
type SystemSpec struct {
	// Disabled are those that K3s was told not to deploy.
	Disabled []string `json:"disabled,omitempty"`
	// Domain is the cluster's, such as cluster.local. Each of the Spec's Hosts asks CoreDNS for a
	// name in it.
	Domain string `json:"domain,omitempty"`
	// Existing is the Spec's, taken over by the gate. The owner may have other components or none:
	// the server of the DNS names must be there under any name, and metrics only where they are
	// registered.
	Existing bool `json:"lent,omitempty"`
}

// WebhookSpec names an admission webhook and a request that it must answer.
type WebhookSpec struct {
	// Configuration is the ValidatingWebhookConfiguration's (or, with Mutating,
	// MutatingWebhookConfiguration's) name.
	Configuration string `json:"configuration"`
	Mutating      bool   `json:"mutating,omitempty"`
	// Namespace and Service receive the API server's requests; Port is the Service's port.
	Namespace string `json:"namespace"`
	Service   string `json:"service"`
	Port      int    `json:"port"`
	// CASecret is the Secret in Namespace whose ca.crt each caBundle must equal. Empty: only
	// presence is checked.
	CASecret string `json:"caSecret,omitempty"`
	// Accept is an object that the webhook must accept, Deny (optional) one that it must refuse;
	// both are created with server-side dry run and never stored. DenyMatch is a part of the
	// refusal that proves who refused.
	Accept    map[string]any `json:"accept"`
	Deny      map[string]any `json:"deny,omitempty"`
	DenyMatch string         `json:"denyMatch,omitempty"`
	// Mutates is the name of a MutatingWebhookConfiguration whose caBundle and endpoint are checked
	// as Configuration's are. Optional.
	Mutates string `json:"mutates,omitempty"`
	// AcceptFills are dotted paths, such as spec.username, that must have a value in the answer to
	// the dry run of Accept, or, as in spec.nodeName=a, that value: an API server that does not ask
	// the mutating webhook accepts as well. Give Accept a generateName, since a namesake hides it.
	AcceptFills []string `json:"acceptFills,omitempty"`
	// Consecutive counts the passes in a row that each API server must give. Zero means 2.
	Consecutive int `json:"consecutive,omitempty"`
	// Workloads are namespace/kind/name of the webhook's workloads; their Pods explain a failure.
	Workloads []string `json:"workloads,omitempty"`
}

// PoolSpec names a MetalLB address pool.
type PoolSpec struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	Addresses []string `json:"addresses"`
	// Speakers are the nodes on which a speaker must have accepted the configuration.
	Speakers []string `json:"speakers,omitempty"`
	// SpeakerPods selects the speakers' Pods by label, where the nodes are not known beforehand:
	// Speakers are then the nodes that have one, and at least one must.
	SpeakerPods string `json:"speakerPods,omitempty"`
}

// Secrets holds the inputs of a gate that must not be stored or shown. They come in the
// environment.
type Secrets struct {
	// SSHKey is the PEM private key for Hosts (STRATA_SSH_KEY).
	SSHKey []byte
	// HypervisorKey is the PEM private key for the hypervisor of VM (STRATA_HYPERVISOR_KEY).
	HypervisorKey []byte
	// Kubeconfig is the cluster's kubeconfig (STRATA_KUBECONFIG).
	Kubeconfig []byte
	// BasicAuth is user:password for the HTTP probes that ask for it (STRATA_BASIC_AUTH).
	BasicAuth []byte
	// APIKey is for the HTTP probes that send it in a header, and for the data plane's admin API
	// (STRATA_API_KEY).
	APIKey []byte
	// Reader is true where the kubeconfig can only read, and no Secret. It never comes from the
	// environment, so that no gate of a run is weaker.
	Reader bool
}
