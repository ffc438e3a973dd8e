package config

import (
	"net/netip"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"
)

// Size overrides the size in hosts.vm for one virtual machine.
type Size struct {
	// CPUs is the number of virtual processors. Default: hosts.vm.cpus.
	CPUs int `json:"cpus,omitempty"`
	// MemoryMiB is the memory in MiB. Default: hosts.vm.memoryMiB.
	MemoryMiB int `json:"memoryMiB,omitempty"`
	// DiskGiB is the disk's size in GiB. Default: hosts.vm.diskGiB.
	DiskGiB int `json:"diskGiB,omitempty"`
	// ID is the VM's number on Proxmox VE, 100 to 999999999. Default: the next free one. Driver
	// libvirt does not read it.
	ID int `json:"id,omitempty"`
}

// VM configures all virtual machines of a stack. A change of processors or memory restarts the
// machines one at a time; a larger disk needs no restart. The settings of cloud-init affect new
// machines only.
type VM struct {
	// CPUs is the number of virtual processors. Default 2.
	CPUs int `json:"cpus,omitempty"`
	// MemoryMiB is the memory in MiB. Default 4096.
	MemoryMiB int `json:"memoryMiB,omitempty"`
	// DiskGiB is the disk's size in GiB; it can grow, never shrink. Default 20.
	DiskGiB int `json:"diskGiB,omitempty"`
	// Image is the URL of the disk image that the machines start from, a qcow2 with cloud-init.
	// `strata fetch` records its checksum in strata.lock. It is only read if artifacts.machineImage
	// is upstream, because a bundle has its own image.
	Image string `json:"image,omitempty"`
	// DHCP makes the machines request their addresses. The network must then reserve a node's
	// address for its MAC address, because K3s cannot change a node's address. Default false: the
	// machines set their addresses themselves.
	DHCP bool `json:"dhcp,omitempty"`
	// Gateway is the default route's address. Default: the subnet's first address.
	Gateway netip.Addr `json:"gateway,omitzero"`
	// DNS are the name servers. Default: Gateway.
	DNS []netip.Addr `json:"dns,omitempty"`
	// AuthorizedKeys may log in besides the key that Strata generates, in authorized_keys form.
	AuthorizedKeys []string `json:"authorizedKeys,omitempty"`
	// Packages are Debian packages that are installed at the first boot, from the image's own
	// sources.
	Packages []string `json:"packages,omitempty"`
	// Modules are kernel modules that are loaded at every boot. Default br_netfilter, overlay.
	Modules []string `json:"modules,omitempty"`
	// Sysctls are kernel settings that are set at every boot.
	Sysctls map[string]string `json:"sysctls,omitempty"`
	// Protect makes Strata refuse to delete or replace the machines. Default false.
	Protect bool `json:"protect,omitempty"`
}

var (
	// storageName matches the names of pools, storages and networks in libvirt and Proxmox VE.
	storageName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]*$`)
	// moduleName and sysctlName match single words, because the names become lines of files on the
	// machines.
	moduleName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	sysctlName = regexp.MustCompile(`^[A-Za-z0-9_-]+([./][A-Za-z0-9_*-]+)+$`)
	// packageName matches the name of a Debian package, with an optional version.
	packageName = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]*(=[A-Za-z0-9.+:~-]+)?$`)
	// libvirtURI matches a URI of a libvirt driver on the hypervisor itself. hosts.hypervisor
	// configures how the hypervisor is reached.
	libvirtURI = regexp.MustCompile(`^qemu:///(system|session)$`)
)

// checkOthersUnset refuses a section for a driver that is not configured, because it would not be
// read.
func checkOthersUnset(ps *problems, hosts Hosts) {
	unset := defaults().Hosts
	for _, section := range []struct {
		key         string
		read        bool
		readBy      string
		value, free any
	}{
		{"hypervisor", hosts.Driver.MakesVMs(), "drivers libvirt and proxmox", hosts.Hypervisor,
			unset.Hypervisor},
		{"vm", hosts.Driver.MakesVMs(), "drivers libvirt and proxmox", hosts.VM, unset.VM},
		{"libvirt", hosts.Driver == DriverLibvirt, "driver libvirt", hosts.Libvirt, unset.Libvirt},
		{"proxmox", hosts.Driver == DriverProxmox, "driver proxmox", hosts.Proxmox, unset.Proxmox},
	} {
		ps.addIf(!section.read && !reflect.DeepEqual(section.value, section.free),
			field("hosts.%s", section.key), "", "is only read by "+section.readBy,
			"remove it or set another driver")
	}
	for i, node := range hosts.Nodes {
		ps.addIf(!hosts.Driver.MakesVMs() && node.VM != (Size{}), field("hosts.nodes[%d].vm", i),
			"", "is only read by drivers libvirt and proxmox", "remove it or set another driver")
	}
}

func (c *Config) checkVMs(ps *problems) {
	c.checkHypervisor(ps)
	checkVMContent(ps, c.Hosts.VM)
	ids := map[int]int{}
	for i, node := range c.Hosts.Nodes {
		checkSize(ps, field("hosts.nodes[%d].vm", i), node, c.Hosts.Driver)
		if first, twice := ids[node.VM.ID]; twice && node.VM.ID != 0 {
			ps.add(field("hosts.nodes[%d].vm.id", i), strconv.Itoa(node.VM.ID),
				"is also that of hosts.nodes["+strconv.Itoa(first)+"]", "give each node its own")
		}
		ids[node.VM.ID] = i
	}
	gateway, subnet := c.Hosts.VM.Gateway, c.Hosts.Subnet
	ps.addIf(gateway.IsValid() && subnet.IsValid() && !usable(subnet, gateway),
		field("hosts.vm.gateway"), gateway.String(),
		"is not a host address of hosts.subnet "+subnet.String(),
		"use an address inside it, neither the first nor the last")
	if c.Hosts.Driver == DriverProxmox {
		checkProxmox(ps, c.Hosts.Proxmox)
	} else {
		checkLibvirt(ps, c.Hosts.Libvirt)
	}
	c.checkVMImage(ps)
}

// checkSize checks the size of a machine against the requirements of K3s and the size of an image.
func checkSize(ps *problems, key string, node Node, driver Driver) {
	least := 512
	if node.Role == RoleServer {
		least = 2048
	}
	ps.addIf(node.VM.CPUs < 1, key+".cpus", strconv.Itoa(node.VM.CPUs),
		"is no number of processors", "use 1 or more")
	ps.addIf(node.VM.MemoryMiB < least, key+".memoryMiB", strconv.Itoa(node.VM.MemoryMiB),
		"is too little for a K3s "+string(node.Role), "use "+strconv.Itoa(least)+" or more")
	ps.addIf(node.VM.DiskGiB < 4, key+".diskGiB", strconv.Itoa(node.VM.DiskGiB),
		"is too small for a system with K3s", "use 4 or more")
	switch id := node.VM.ID; {
	case id != 0 && driver == DriverLibvirt:
		ps.add(key+".id", strconv.Itoa(id), "is not read: only Proxmox VE numbers its machines",
			"remove it")
	case id != 0 && (id < 100 || id > 999999999):
		ps.add(key+".id", strconv.Itoa(id), "is no VM number of Proxmox VE", "use 100 to 999999999")
	}
}

func checkVMContent(ps *problems, vm VM) {
	for i, key := range vm.AuthorizedKeys {
		if _, _, _, _, err := ssh.ParseAuthorizedKey([]byte(key)); err != nil {
			ps.add(field("hosts.vm.authorizedKeys[%d]", i), "", "is not a public key",
				"copy one line of a .pub file")
		}
	}
	words := func(key string, list []string, form *regexp.Regexp, what string) {
		for i, word := range list {
			ps.addIf(!form.MatchString(word), field("hosts.vm.%s[%d]", key, i), word,
				"is not "+what, "write one name")
		}
	}
	words("packages", vm.Packages, packageName, "a package's name")
	words("modules", vm.Modules, moduleName, "a kernel module's name")
	for name, value := range vm.Sysctls {
		key := field("hosts.vm.sysctls[%q]", name)
		ps.addIf(!sysctlName.MatchString(name), key, "", "is not a kernel setting",
			"write its name with dots, for example vm.max_map_count")
		ps.addIf(strings.ContainsAny(value, "\n\r") || strings.TrimSpace(value) == "", key, value,
			"is not one line", "write the value alone")
	}
}

// checkVMImage checks that the machines start from exactly one source: a template, a bundle's
// image, or an image at a URL.
func (c *Config) checkVMImage(ps *problems) {
	image := c.Hosts.VM.Image
	switch {
	case c.Hosts.Proxmox.Template != 0:
		ps.addIf(image != "", field("hosts.vm.image"), image,
			"is set beside hosts.proxmox.template", "remove one of them")
	case image == "" && c.Artifacts.MachineImage == SourceUpstream:
		ps.add(field("hosts.vm.image"), "", "is not set",
			"set the URL of a qcow2 with cloud-init, or artifacts.machineImage to a bundle folder that has one")
	case image != "" && !imageURL.MatchString(image):
		ps.add(field("hosts.vm.image"), image, "is not the URL of a qcow2 file",
			"write https://…/NAME.qcow2")
	}
}

// imageURL matches the URL of a qcow2 image. Its base name becomes the image's version.
var imageURL = regexp.MustCompile(`^https?://[^/\s]+/(\S*/)?[A-Za-z0-9][A-Za-z0-9.+_-]*\.(qcow2|img)$`)
