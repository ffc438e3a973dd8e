package config

import (
	"net/netip"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Config is the whole configuration of one stack. If only certain texts are allowed for a field,
// its tag enum lists them for docs/config.md and the schema of stack files. Validate enforces them.
type Config struct {
	// Stack is the Pulumi stack's name.
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
	// Discard is the section `strata:discard`: consent to delete objects of other owners.
	Discard Discard `json:"discard"`
	// Artifacts is the section `strata:artifacts`: where binaries, charts and images come from.
	Artifacts Artifacts `json:"artifacts"`
	// Verify is `on` or `off`. With on, each `pulumi up` ends by running the gates that none of its
	// steps ran. A gate that does not pass fails the update, but undoes no change; in a preview it
	// causes a warning. Default on.
	Verify Switch `json:"verify"`
	// Drift is the section `strata:drift`: how an update treats files, settings and objects that
	// were changed since the last update.
	Drift Drift `json:"drift"`
	// Timeouts is the section `strata:timeouts`.
	Timeouts Timeouts `json:"timeouts"`
}

// defaults returns the configuration before anything is read. Versions stay empty: an unset version
// follows the bundle, or else the pin (package artifacts).
func defaults() *Config {
	return &Config{
		Hosts: Hosts{
			Hypervisor: Hypervisor{User: "root", Port: 22, KeyFile: "~/.ssh/id_ed25519"},
			VM: VM{CPUs: 2, MemoryMiB: 4096, DiskGiB: 20,
				Modules: []string{"br_netfilter", "overlay"}},
			Libvirt: Libvirt{URI: "qemu:///system", Pool: "default", Type: "kvm"},
			Proxmox: Proxmox{Storage: "local-lvm", SeedStorage: "local", Bridge: "vmbr0"},
		},
		K3s: K3s{
			ClusterCIDR:               netip.MustParsePrefix("10.42.0.0/16"),
			ServiceCIDR:               netip.MustParsePrefix("10.43.0.0/16"),
			Disable:                   []string{"traefik", "servicelb", "gateway-api-crd"},
			SecretsEncryption:         new(true),
			ClientCertificateLifetime: metav1.Duration{Duration: 365 * 24 * time.Hour},
			Snapshots:                 Snapshots{Schedule: "0 */12 * * *", Retention: 5},
		},
		Upgrade:     Upgrade{Concurrency: 1},
		MetalLB:     MetalLB{Enabled: new(true)},
		CRDs:        CRDs{Keep: new(true)},
		CertManager: CertManager{Enabled: new(true)},
		Vault:       Vault{Storage: VaultStorage{Persistent: new(true)}},
		Traefik: Traefik{Replicas: 2,
			LongestRequest: metav1.Duration{Duration: 30 * time.Second}, Dashboard: new(true)},
		APISIX: APISIX{Replicas: 2,
			LongestRequest: metav1.Duration{Duration: 30 * time.Second}},
		Apps:      Apps{Validate: ValidateFull, Wave: Wave{Webhooks: new(true), Replicas: 2}},
		Artifacts: Artifacts{Source: SourceUpstream},
		Verify:    true,
		Drift:     Drift{Mode: DriftRepair},
		Timeouts:  defaultTimeouts(),
	}
}

// Validate reports every mistake in the configuration at once, as joined Problems sorted by key. It
// reads no files (CheckFiles does), and connects to nothing (a preflight does). Load calls it.
func (c *Config) Validate() error {
	return problems(c.check()).err()
}

// check returns the problems of all sections and layers. Each section's check decides itself whether
// it applies.
func (c *Config) check() problems {
	var ps problems
	c.checkCluster(&ps)
	c.checkMetalLB(&ps)
	c.checkCRDs(&ps)
	c.checkCertManager(&ps)
	c.checkVault(&ps)
	c.checkIngress(&ps)
	c.checkTraefik(&ps)
	c.checkAPISIX(&ps)
	c.checkArgoCD(&ps)
	c.checkApps(&ps)
	c.checkWave(&ps)
	c.checkCharts(&ps)
	c.checkDiscard(&ps)
	c.checkArtifacts(&ps)
	c.checkDrift(&ps)
	c.checkTimeouts(&ps)
	return ps
}
