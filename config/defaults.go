package config

import (
	"cmp"
	"net/netip"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SourceUpstream is the value of Artifacts.Source with which pinned artifacts are downloaded from
// their projects.
const SourceUpstream = "upstream"

// defaults returns the configuration before anything is read. K3s.Version and MetalLB.ChartVersion
// stay empty. An unset version follows the bundle, or else the pin (package artifacts).
func defaults() *Config {
	on := true
	encrypt := true
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
			SecretsEncryption:         &encrypt,
			ClientCertificateLifetime: metav1.Duration{Duration: 365 * 24 * time.Hour},
			Snapshots:                 Snapshots{Schedule: "0 */12 * * *", Retention: 5},
		},
		Upgrade:     Upgrade{Concurrency: 1},
		MetalLB:     MetalLB{Enabled: &on},
		CRDs:        CRDs{Keep: &on},
		CertManager: CertManager{Enabled: &on},
		Vault:       Vault{Storage: VaultStorage{Persistent: &on}},
		Traefik: Traefik{Replicas: 2,
			LongestRequest: metav1.Duration{Duration: 30 * time.Second}, Dashboard: &on},
		APISIX: APISIX{Replicas: 2,
			LongestRequest: metav1.Duration{Duration: 30 * time.Second}},
		Apps: Apps{Validate: ValidateFull,
			Wave: Wave{Webhooks: &on, Replicas: 2}},
		Artifacts: Artifacts{Source: SourceUpstream},
		Verify:    true,
		Drift:     Drift{Mode: DriftRepair},
		Timeouts: Timeouts{
			Host:               minutes(5),
			API:                minutes(10),
			Nodes:              minutes(10),
			MetalLBWebhook:     minutes(5),
			MetalLBPool:        minutes(2),
			CRDs:               minutes(2),
			CertManagerWebhook: minutes(4),
			Certificate:        minutes(4),
			Vault:              minutes(5),
			Ingress:            minutes(5),
			APISIX:             minutes(3),
			Apps:               minutes(4),
			Apply:              minutes(5),
			Namespaces:         minutes(10),
			Workload:           minutes(5),
			ArgoCD:             minutes(5),
			Install:            minutes(10),
			Drain:              minutes(5),
			Upgrade:            minutes(10),
			Uninstall:          minutes(5),
		},
	}
}

// derive fills in the defaults that follow from other values, and gives every node its effective
// SSH values.
func (c *Config) derive() {
	hosts := &c.Hosts
	switch hosts.Driver {
	case DriverExisting:
		hosts.Arch = cmp.Or(hosts.Arch, "amd64")
	case DriverLibvirt, DriverProxmox:
		hosts.deriveVMs()
	}
	if c.K3s.NetworkPolicies == nil && !c.OnExistingCluster() {
		disabled, err := strconv.ParseBool(c.K3s.CriticalValues()["disable-network-policy"])
		enforced := err != nil || !disabled
		c.K3s.NetworkPolicies = &enforced
	}
	c.derivePlatform()
	c.Artifacts.MachineImage = cmp.Or(c.Artifacts.MachineImage, c.Artifacts.Source)
	hosts.deriveSSH()
}

// deriveVMs gives every node its effective size.
func (h *Hosts) deriveVMs() {
	h.Arch = cmp.Or(h.Arch, "amd64")
	if h.Driver == DriverLibvirt && h.Libvirt.Bridge == "" {
		h.Libvirt.Network = cmp.Or(h.Libvirt.Network, "default")
	}
	if !h.VM.Gateway.IsValid() && h.Subnet.IsValid() {
		h.VM.Gateway = h.Subnet.Masked().Addr().Next()
	}
	if len(h.VM.DNS) == 0 && h.VM.Gateway.IsValid() {
		h.VM.DNS = []netip.Addr{h.VM.Gateway}
	}
	for i := range h.Nodes {
		size := &h.Nodes[i].VM
		size.CPUs = cmp.Or(size.CPUs, h.VM.CPUs)
		size.MemoryMiB = cmp.Or(size.MemoryMiB, h.VM.MemoryMiB)
		size.DiskGiB = cmp.Or(size.DiskGiB, h.VM.DiskGiB)
	}
}

// derivePlatform fills in the defaults of the layers above the cluster.
func (c *Config) derivePlatform() {
	servers := 0
	for _, node := range c.Hosts.Nodes {
		if node.Role == RoleServer {
			servers++
		}
	}
	if c.CertManager.Replicas == 0 {
		c.CertManager.Replicas = 1
		if servers > 2 {
			c.CertManager.Replicas = 2
		}
	}
	c.CertManager.Issuer = cmp.Or(c.CertManager.Issuer, IssuerSelfSigned)
	if c.CertManager.Issuer == IssuerACME {
		c.CertManager.ACME.Solver = cmp.Or(c.CertManager.ACME.Solver, SolverHTTP01)
	}
	c.deriveVault()
	c.CertManager.CommonName = cmp.Or(c.CertManager.CommonName, "Strata root of "+c.Stack)
	if c.Ingress.Controllers == nil && *c.MetalLB.Enabled && *c.CertManager.Enabled {
		c.Ingress.Controllers = []string{ControllerTraefik}
	}
	if c.ArgoCD.Enabled == nil {
		enabled := c.Ingress.Uses(ControllerTraefik) // which its route goes through
		c.ArgoCD.Enabled = &enabled
	}
	if c.ArgoCD.Root.RepoURL != "" {
		c.ArgoCD.Root.Path = cmp.Or(c.ArgoCD.Root.Path, ".")
		c.ArgoCD.Root.Revision = cmp.Or(c.ArgoCD.Root.Revision, "HEAD")
	}
	c.Ingress.Domain = cmp.Or(c.Ingress.Domain, strings.ToLower(c.Stack)+".strata.test")
	c.deriveWorkloads()
	c.deriveImages()
}

// deriveVault decides whether the stack has a Vault of its own.
func (c *Config) deriveVault() {
	if c.Vault.Enabled == nil {
		own := c.CertManager.Issuer == IssuerVault && c.CertManager.Vault.Address == ""
		c.Vault.Enabled = &own
	}
	if given := &c.CertManager.Vault; given.Address != "" {
		given.Path = cmp.Or(given.Path, "pki_int/sign/strata")
		if given.Token == "" {
			given.Mount, given.Role = cmp.Or(given.Mount, "kubernetes"), cmp.Or(given.Role, "strata")
		}
	}
	c.Vault.Storage.Size = cmp.Or(c.Vault.Storage.Size, "1Gi")
}

func minutes(n int) metav1.Duration {
	return metav1.Duration{Duration: time.Duration(n) * time.Minute}
}
