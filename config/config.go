package config

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Config is the whole configuration of one stack. If only certain texts are allowed for a field,
// its tag enum lists them for docs/config.md and the schema of stack files. Validate enforces them.
type Config struct {
	// Stack is the Pulumi stack's name; it prefixes the names of the stack's things on this
	// machine.
	Stack string `json:"-"`
	// Hosts is the section `strata:hosts`: the hosts on which the cluster runs.
	Hosts Hosts `json:"hosts"`
	// Cluster is the section `strata:cluster`: an existing cluster, in place of hosts.
	Cluster Cluster `json:"cluster"`
	// K3s is the section `strata:k3s`.
	K3s K3s `json:"k3s"`
	// Upgrade is the section `strata:upgrade`: how a changed K3s reaches the nodes.
	Upgrade Upgrade `json:"upgrade"`
	// MetalLB is the section `strata:metallb`.
	MetalLB MetalLB `json:"metallb"`
	// CRDs is the section `strata:crds`: the custom resource definitions (CRDs) that no chart
	// brings.
	CRDs CRDs `json:"crds"`
	// CertManager is the section `strata:certManager`: certificates and the CA that signs them.
	CertManager CertManager `json:"certManager"`
	// Vault is the section `strata:vault`: the stack's own Vault, which signs in place of the
	// stack's own CA.
	Vault Vault `json:"vault"`
	// Ingress is the section `strata:ingress`: the ingress controllers, and the domain of the
	// platform's names.
	Ingress Ingress `json:"ingress"`
	// Traefik is the section `strata:traefik`.
	Traefik Traefik `json:"traefik"`
	// APISIX is the section `strata:apisix`: for controller apisix.
	APISIX APISIX `json:"apisix"`
	// ArgoCD is the section `strata:argocd`.
	ArgoCD ArgoCD `json:"argocd"`
	// Apps is the section `strata:apps`: the applications on the platform.
	Apps Apps `json:"apps"`
	// Discard is the section `strata:discard`: consent to the loss of others' objects.
	Discard Discard `json:"discard"`
	// Artifacts is the section `strata:artifacts`: where binaries, charts and images come from.
	Artifacts Artifacts `json:"artifacts"`
	// Verify is `on` or `off`. With on, each `pulumi up` ends by asking the gates that none of its
	// steps ran. A closed gate fails the run, which undoes nothing; in a preview it is a warning.
	// Default on.
	Verify Switch `json:"verify"`
	// Timeouts is the section `strata:timeouts`.
	Timeouts Timeouts `json:"timeouts"`
}

// Artifacts configures the source of binaries, charts and images.
type Artifacts struct {
	// Source is `upstream`, or the path of a bundle folder. Default upstream. The variable
	// STRATA_ARTIFACTS overrides it.
	Source string `json:"source,omitempty"`
	// MachineImage is the path of the bundle folder that holds the disk image of the virtual
	// machines. Default: Source. With upstream the image is hosts.vm.image. The variable
	// STRATA_MACHINE_IMAGE overrides it.
	MachineImage string `json:"machineImage,omitempty"`
	// Mirror is the address of a mirror of Strata's downloads: it serves https://github.com/a/b at
	// Mirror/github.com/a/b. Sums are compared with strata.lock all the same. Default: none, each
	// project's own host. An address with a user and a password must be encrypted: pulumi config
	// set --secret --path strata:artifacts.mirror. The variable STRATA_MIRROR overrides it; `strata
	// fetch` needs the variable if the address is encrypted.
	Mirror string `json:"mirror,omitempty"`
	// MirrorCA is the certificate in PEM of the CA that signs for the mirror. It is needed if this
	// machine's own trust store does not have that CA. Default: none.
	MirrorCA string `json:"mirrorCA,omitempty"`
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
	// CRDs bounds the wait until the CRDs are served. Default 2m.
	CRDs metav1.Duration `json:"crds,omitzero"`
	// CertManagerWebhook bounds the wait for cert-manager's webhook. Default 4m.
	CertManagerWebhook metav1.Duration `json:"certManagerWebhook,omitzero"`
	// Certificate bounds the wait for an issuer or a certificate. Default 4m.
	Certificate metav1.Duration `json:"certificate,omitzero"`
	// Vault bounds each step of the stack's own Vault: its start, its initialisation, its
	// configuration. Default 5m.
	Vault metav1.Duration `json:"vault,omitzero"`
	// Ingress bounds the wait for an ingress controller: its address, its Gateway, its answers.
	// Default 5m.
	Ingress metav1.Duration `json:"ingress,omitzero"`
	// APISIX bounds the wait for each of APISIX's parts: its webhook, its Gateway, its Pods.
	// Default 3m.
	APISIX metav1.Duration `json:"apisix,omitzero"`
	// Apps bounds each probe of the last step, the validation. Default 4m.
	Apps metav1.Duration `json:"apps,omitzero"`
	// Apply bounds the apply of each object of apps.manifests. Default 5m. The variable
	// WAVE2_TIMEOUT, in seconds, overrides it.
	Apply metav1.Duration `json:"apply,omitzero"`
	// Namespaces bounds the wait until a deleted namespace has ended. Default 10m.
	Namespaces metav1.Duration `json:"namespaces,omitzero"`
	// Workload bounds the rollout of each of apps.workloads. Default 5m.
	Workload metav1.Duration `json:"workload,omitzero"`
	// ArgoCD bounds the wait until Argo CD answers through the ingress. Default 5m.
	ArgoCD metav1.Duration `json:"argocd,omitzero"`
	// MetalLBPool bounds the wait for the address pool. Default 2m.
	MetalLBPool metav1.Duration `json:"metallbPool,omitzero"`
	// Install bounds one install command on a host. Default 10m.
	Install metav1.Duration `json:"install,omitzero"`
	// Drain bounds the time that a node's Pods get to move away before its K3s is upgraded. Default
	// 5m.
	Drain metav1.Duration `json:"drain,omitzero"`
	// Upgrade bounds the time from the stop of a node's old K3s until the new one works. Default
	// 10m.
	Upgrade metav1.Duration `json:"upgrade,omitzero"`
	// Uninstall bounds one uninstall command on a host. Default 5m.
	Uninstall metav1.Duration `json:"uninstall,omitzero"`
}
