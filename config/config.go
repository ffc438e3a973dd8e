package config

import (
	"net/netip"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Config is the whole configuration of one stack.
type Config struct {
	// Stack is the Pulumi stack's name; it prefixes the names of what the stack creates on this machine.
	Stack string `json:"-"`
	// Hosts is the section `strata:hosts`: where the cluster runs.
	Hosts Hosts `json:"hosts"`
	// K3s is the section `strata:k3s`.
	K3s K3s `json:"k3s"`
	// MetalLB is the section `strata:metallb`.
	MetalLB MetalLB `json:"metallb"`
	// CRDs is the section `strata:crds`: the resource definitions that no chart brings.
	CRDs CRDs `json:"crds"`
	// CertManager is the section `strata:certManager`: certificates and the authority that signs them.
	CertManager CertManager `json:"certManager"`
	// Vault is the section `strata:vault`: a Vault of the stack's own, which signs in place of the authority.
	Vault Vault `json:"vault"`
	// Ingress is the section `strata:ingress`: what leads requests into the cluster, and under which names.
	Ingress Ingress `json:"ingress"`
	// Traefik is the section `strata:traefik`.
	Traefik Traefik `json:"traefik"`
	// ArgoCD is the section `strata:argocd`.
	ArgoCD ArgoCD `json:"argocd"`
	// Artifacts is the section `strata:artifacts`: where binaries, charts and images come from.
	Artifacts Artifacts `json:"artifacts"`
	// Timeouts is the section `strata:timeouts`.
	Timeouts Timeouts `json:"timeouts"`
}

// Driver names the way in which hosts come to be.
type Driver string

const (
	// DriverExisting takes hosts that are already there and reachable over SSH.
	DriverExisting Driver = "existing"
	// DriverMachine creates systemd-nspawn machines on this machine.
	DriverMachine Driver = "machine"
)

// Role is what a node is in the cluster.
type Role string

const (
	// RoleServer runs the control plane and etcd (K3s server).
	RoleServer Role = "server"
	// RoleAgent runs workloads only (K3s agent).
	RoleAgent Role = "agent"
)

// Unit is the systemd unit that K3s's install script makes for the role, without .service.
func (r Role) Unit() string {
	if r == RoleServer {
		return "k3s"
	}
	return "k3s-agent"
}

// Hosts says which hosts there are and how they are reached or made.
type Hosts struct {
	// Driver is existing or machine. Required.
	Driver Driver `json:"driver"`
	// Subnet holds every node address and the load balancer's addresses, as CIDR. Required.
	Subnet netip.Prefix `json:"subnet"`
	// Arch is the hosts' processor architecture, amd64 or arm64; it selects the binaries. Default amd64; for driver machine,
	// this machine's.
	Arch string `json:"arch,omitempty"`
	// SSH holds the defaults of every host's connection.
	SSH SSH `json:"ssh"`
	// Machine configures driver machine.
	Machine Machine `json:"machine"`
	// Nodes are the hosts in order; the first server bootstraps the cluster.
	Nodes []Node `json:"nodes"`
}

// SSH is how a host is reached. A Node's own values override the ones of Hosts.
type SSH struct {
	// User logs in and may use sudo without a password. Default root.
	User string `json:"user,omitempty"`
	// Port is sshd's TCP port. Default 22.
	Port int `json:"port,omitempty"`
	// KeyFile is the private key's path; a leading ~ is the home directory, a relative path is relative to the project.
	// Default ~/.ssh/id_ed25519. Driver machine generates its own key.
	KeyFile string `json:"keyFile,omitempty"`
	// HostKey pins the host's public key, in authorized_keys form. Default: taken at one bounded first contact.
	HostKey string `json:"hostKey,omitempty"`
}

// Machine configures the systemd-nspawn machines that Strata creates.
type Machine struct {
	// Bridge is the network bridge on this machine. Default strata0.
	Bridge string `json:"bridge,omitempty"`
	// Gateway is this machine's address on the bridge. Default: the subnet's first address.
	Gateway netip.Addr `json:"gateway,omitzero"`
}

// Node is one host of the cluster.
type Node struct {
	// Name is the node's name in Kubernetes and, for driver machine, the host name. Required, unique.
	Name string `json:"name"`
	// Role is server or agent. Required.
	Role Role `json:"role"`
	// Address is the node's IP address in Hosts.Subnet. Required, unique.
	Address netip.Addr `json:"address"`
	// SSH overrides Hosts.SSH for this host.
	SSH SSH `json:"ssh"`
	// Labels are set on the Node at registration.
	Labels map[string]string `json:"labels,omitempty"`
	// Taints are set on the Node at registration, as key=value:Effect.
	Taints []string `json:"taints,omitempty"`
}

// K3s configures the cluster.
type K3s struct {
	// Version is vX.Y.Z+k3sN. Default: the pin, or what the bundle carries.
	Version string `json:"version,omitempty"`
	// ClusterCIDR is the Pods' network. Default 10.42.0.0/16.
	ClusterCIDR netip.Prefix `json:"clusterCIDR,omitzero"`
	// ServiceCIDR is the Services' network. Default 10.43.0.0/16.
	ServiceCIDR netip.Prefix `json:"serviceCIDR,omitzero"`
	// Disable lists packaged components that K3s must not deploy. Default traefik, servicelb, gateway-api-crd.
	Disable []string `json:"disable,omitempty"`
	// TLSSANs are additional names and addresses of the API server's certificate.
	TLSSANs []string `json:"tlsSANs,omitempty"`
	// FlannelInterface is the network interface that carries the Pod network. Default: chosen by K3s.
	FlannelInterface string `json:"flannelInterface,omitempty"`
	// SecretsEncryption encrypts Secrets at rest; fixed when the cluster is created. Default true.
	SecretsEncryption *bool `json:"secretsEncryption,omitempty"`
	// ServerArgs are further keys of the servers' config.yaml of K3s, by their long flag name.
	ServerArgs map[string]any `json:"serverArgs,omitempty"`
	// AgentArgs are further keys of the agents' config.yaml of K3s, by their long flag name.
	AgentArgs map[string]any `json:"agentArgs,omitempty"`
}

// MetalLB configures the load balancer.
type MetalLB struct {
	// Enabled installs MetalLB. Default true.
	Enabled *bool `json:"enabled,omitempty"`
	// Addresses are the ranges that Services get addresses from: first-last or CIDR, inside Hosts.Subnet. Required.
	Addresses []string `json:"addresses"`
	// ChartVersion is the chart's version. Default: the pin, or what the bundle carries.
	ChartVersion string `json:"chartVersion,omitempty"`
}

// CRDs configures the bundles of resource definitions that are a layer of their own.
type CRDs struct {
	// GatewayAPIVersion is the release of the Gateway API's standard channel, as vX.Y.Z. Default: the pin, or what the bundle
	// carries. An older one than the cluster has is refused.
	GatewayAPIVersion string `json:"gatewayAPIVersion,omitempty"`
	// Keep leaves the definitions in the cluster when their layer leaves the configuration. Default true: deleting a definition
	// deletes every object of its kind.
	Keep *bool `json:"keep,omitempty"`
}

// CertManager configures cert-manager and the stack's own certificate authority.
type CertManager struct {
	// Enabled installs cert-manager. Default true.
	Enabled *bool `json:"enabled,omitempty"`
	// ChartVersion is the chart's version. Default: the pin, or what the bundle carries.
	ChartVersion string `json:"chartVersion,omitempty"`
	// Replicas is how many controllers, webhooks and CA injectors run. Default: 1; with three or more
	// servers 2.
	Replicas int `json:"replicas,omitempty"`
	// CommonName is the name of the stack's root authority. Default: Strata root of the stack.
	CommonName string `json:"commonName,omitempty"`
	// Issuer says who signs the platform's certificates: selfSigned, a root of the stack's own, or vault. Default selfSigned.
	Issuer string `json:"issuer,omitempty"`
	// Vault is for issuer vault.
	Vault VaultIssuer `json:"vault"`
}

// ControllerTraefik is Traefik in Ingress.Controllers.
const ControllerTraefik = "traefik"

// Ingress says which controllers lead requests into the cluster.
type Ingress struct {
	// Controllers are the ingress controllers: traefik, or none. Default: traefik, where MetalLB and
	// cert-manager are enabled.
	Controllers []string `json:"controllers,omitempty"`
	// Domain is the DNS domain below which the platform's own services have their names, for example traefik.DOMAIN. Default:
	// STACK.strata.test, which never is anybody's (RFC 6761).
	Domain string `json:"domain,omitempty"`
}

// Uses reports whether a controller is configured.
func (i Ingress) Uses(controller string) bool { return slices.Contains(i.Controllers, controller) }

// Traefik configures the ingress controller.
type Traefik struct {
	// ChartVersion is the chart's version. Default: the pin, or what the bundle carries.
	ChartVersion string `json:"chartVersion,omitempty"`
	// Replicas is how many Pods serve. Default 2. With two, one can go while the other serves.
	Replicas int `json:"replicas,omitempty"`
	// Address is the load balancer's address for Traefik, of metallb.addresses. Default: MetalLB chooses.
	Address netip.Addr `json:"address,omitzero"`
	// LongestRequest is how long a request may take; a Pod that stops serves its requests for so long. Default 30s.
	LongestRequest metav1.Duration `json:"longestRequest,omitzero"`
	// Dashboard publishes Traefik's dashboard at traefik.DOMAIN, behind TLS and a generated password. Default true.
	Dashboard *bool `json:"dashboard,omitempty"`
}

// ArgoCD configures Argo CD.
type ArgoCD struct {
	// Enabled installs Argo CD at argocd.DOMAIN. Default: where there is an ingress controller.
	Enabled *bool `json:"enabled,omitempty"`
	// ChartVersion is the chart's version. Default: the pin, or what the bundle carries.
	ChartVersion string `json:"chartVersion,omitempty"`
	// AdminPasswordHash is the bcrypt hash of user admin's password, as `htpasswd -nbBC 10 "" PASSWORD` makes it. Default: a
	// password is generated, and is the output argocdAdminPassword.
	AdminPasswordHash string `json:"adminPasswordHash,omitempty"`
	// Root is the application that brings all others (app of apps). Default: none.
	Root ArgoCDRoot `json:"root"`
}

// ArgoCDRoot is the root Application and the repository that it is read from.
type ArgoCDRoot struct {
	// RepoURL is the Git repository, by https, http or ssh. Empty: no root Application.
	RepoURL string `json:"repoURL,omitempty"`
	// Path is the folder of manifests in the repository. Default: its top.
	Path string `json:"path,omitempty"`
	// Revision is the branch, tag or commit. Default: HEAD.
	Revision string `json:"revision,omitempty"`
	// Username logs in to the repository. Optional.
	Username string `json:"username,omitempty"`
	// Password, or a token, goes with Username. Set it with pulumi config set --secret --path strata:argocd.root.password.
	Password string `json:"password,omitempty"`
}

// Artifacts says where binaries, charts and images come from.
type Artifacts struct {
	// Source is `upstream`, or the path of a bundle folder. Default upstream. The variable STRATA_ARTIFACTS overrides it.
	Source string `json:"source,omitempty"`
	// MachineImage is the path of the bundle folder that holds driver machine's image. Default: Source. Upstream has no such
	// image, so the default needs a bundle as Source. The variable STRATA_MACHINE_IMAGE overrides it.
	MachineImage string `json:"machineImage,omitempty"`
}

// Timeouts bound each gate and action. Values are Go durations, for example 5m.
type Timeouts struct {
	// Host bounds one host's gate: boot, cloud-init, SSH. Default 5m.
	Host metav1.Duration `json:"host,omitzero"`
	// API bounds the wait for each API server. Default 10m.
	API metav1.Duration `json:"api,omitzero"`
	// Nodes bounds the wait for the exact node set. Default 10m.
	Nodes metav1.Duration `json:"nodes,omitzero"`
	// MetalLBWebhook bounds the wait for MetalLB's webhook. Default 5m.
	MetalLBWebhook metav1.Duration `json:"metallbWebhook,omitzero"`
	// CRDs bounds the wait until resource definitions are served. Default 2m.
	CRDs metav1.Duration `json:"crds,omitzero"`
	// CertManagerWebhook bounds the wait for cert-manager's webhook. Default 4m.
	CertManagerWebhook metav1.Duration `json:"certManagerWebhook,omitzero"`
	// Certificate bounds the wait for an issuer or a certificate. Default 4m.
	Certificate metav1.Duration `json:"certificate,omitzero"`
	// Vault bounds each step of the stack's own Vault: its start, its initialisation, its configuration. Default 5m.
	Vault metav1.Duration `json:"vault,omitzero"`
	// Ingress bounds the wait for an ingress controller: its address, its Gateway, its answers. Default 5m.
	Ingress metav1.Duration `json:"ingress,omitzero"`
	// ArgoCD bounds the wait until Argo CD answers through the ingress. Default 5m.
	ArgoCD metav1.Duration `json:"argocd,omitzero"`
	// MetalLBPool bounds the wait for the address pool. Default 2m.
	MetalLBPool metav1.Duration `json:"metallbPool,omitzero"`
	// Install bounds one install command on a host. Default 10m.
	Install metav1.Duration `json:"install,omitzero"`
	// Uninstall bounds one uninstall command on a host. Default 5m.
	Uninstall metav1.Duration `json:"uninstall,omitzero"`
}
