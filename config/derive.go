package config

import (
	"cmp"
	"net/netip"
	"strconv"
	"strings"
)

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

// deriveVMs fills in the defaults of virtual machines, and gives every node its effective size.
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

// deriveVault fills in the defaults of the sections vault and certManager.vault.
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
