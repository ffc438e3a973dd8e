package config_test

// vms returns a stack whose hosts are virtual machines, with further keys of the hosts and of its
// one node.
func vms(driver, keys, nodeKeys string) map[string]string {
	return map[string]string{
		"hosts": `{"driver":"` + driver + `","subnet":"10.10.0.0/24",` + keys + `"nodes":[
			{"name":"server-1","role":"server","address":"10.10.0.11"` + nodeKeys + `}]}`,
		"metallb": `{"addresses":["10.10.0.200-10.10.0.210"]}`,
	}
}

const (
	image = `"vm":{"image":"https://images.example.org/debian-12.qcow2"},`
	pve   = `"hypervisor":{"address":"10.10.0.2"},`
)

// vmRules are cases for drivers libvirt and proxmox.
var vmRules = []rule{
	{"no image upstream", vms("libvirt", "", ""),
		"strata:hosts.vm.image: is not set; set the URL of a qcow2 with cloud-init, or " +
			"artifacts.machineImage to a bundle folder that has one"},
	{"an image that is no qcow2", vms("libvirt",
		`"vm":{"image":"https://images.example.org/debian.iso"},`, ""),
		"strata:hosts.vm.image: https://images.example.org/debian.iso is not the URL of a qcow2 " +
			"file; write https://…/NAME.qcow2"},
	{"an image and a template", vms("proxmox", pve+image+`"proxmox":{"template":9000},`, ""),
		"strata:hosts.vm.image: https://images.example.org/debian-12.qcow2 is set beside " +
			"hosts.proxmox.template; remove one of them"},
	{"no node of Proxmox", vms("proxmox", image, ""),
		"strata:hosts.hypervisor.address: is not set; set the address of a Proxmox VE node"},
	{"a URL as hypervisor", vms("libvirt",
		image+`"hypervisor":{"address":"qemu+ssh://a/system"},`, ""),
		"strata:hosts.hypervisor.address: qemu+ssh://a/system is not an address; write the IP " +
			"address or the DNS name alone"},
	{"another host's URI", vms("libvirt", image+`"libvirt":{"uri":"qemu+ssh://a/system"},`, ""),
		"strata:hosts.libvirt.uri: qemu+ssh://a/system is not one of the hypervisor's own; use " +
			"qemu:///system; another host is hosts.hypervisor.address"},
	{"a bridge and a network", vms("libvirt",
		image+`"libvirt":{"bridge":"br0","network":"default"},`, ""),
		"strata:hosts.libvirt.network: default is set beside hosts.libvirt.bridge; remove one of them"},
	{"an unknown type", vms("libvirt", image+`"libvirt":{"type":"kmv"},`, ""),
		"strata:hosts.libvirt.type: kmv is not a known type; known are kvm, qemu"},
	{"a server with too little memory", vms("libvirt", image, `,"vm":{"memoryMiB":1024}`),
		"strata:hosts.nodes[0].vm.memoryMiB: 1024 is too little for a K3s server; use 2048 or more"},
	{"a disk that is too small", vms("libvirt", image, `,"vm":{"diskGiB":2}`),
		"strata:hosts.nodes[0].vm.diskGiB: 2 is too small for a system with K3s; use 4 or more"},
	{"a VM number for libvirt", vms("libvirt", image, `,"vm":{"id":101}`),
		"strata:hosts.nodes[0].vm.id: 101 is not read: only Proxmox VE numbers its machines; remove it"},
	{"a VM number that Proxmox refuses", vms("proxmox", pve+image, `,"vm":{"id":7}`),
		"strata:hosts.nodes[0].vm.id: 7 is no VM number of Proxmox VE; use 100 to 999999999"},
	{"an invalid VLAN tag", vms("proxmox", pve+image+`"proxmox":{"vlan":5000},`, ""),
		"strata:hosts.proxmox.vlan: 5000 is no VLAN tag; use 1 to 4094"},
	{"a module that is a command", vms("libvirt",
		`"vm":{"image":"https://a.example.org/b.qcow2","modules":["a; b"]},`, ""),
		"strata:hosts.vm.modules[0]: a; b is not a kernel module's name; write one name"},
	{"a setting of two lines", vms("libvirt",
		`"vm":{"image":"https://a.example.org/b.qcow2","sysctls":{"vm.swappiness":"1\n2"}},`, ""),
		"strata:hosts.vm.sysctls[\"vm.swappiness\"]: 1\n2 is not one line; write the value alone"},
	{"a gateway of another network", vms("libvirt",
		`"vm":{"image":"https://a.example.org/b.qcow2","gateway":"10.11.0.1"},`, ""),
		"strata:hosts.vm.gateway: 10.11.0.1 is not a host address of hosts.subnet 10.10.0.0/24; " +
			"use an address inside it, neither the first nor the last"},
	{"a node on the gateway's address", vms("libvirt",
		`"vm":{"image":"https://a.example.org/b.qcow2","gateway":"10.10.0.11"},`, ""),
		"strata:hosts.nodes[0].address: 10.10.0.11 is the gateway's address, hosts.vm.gateway; " +
			"give the node another address"},
	{"a key file for VMs", vms("libvirt", image+`"ssh":{"keyFile":"key"},`, ""),
		"strata:hosts.ssh.keyFile: key is not read: driver libvirt generates its own key; remove it"},
	{"keys of libvirt for Proxmox", vms("proxmox", pve+image+`"libvirt":{"pool":"fast"},`, ""),
		"strata:hosts.libvirt: is only read by driver libvirt; remove it or set another driver"},
	{"the size of an existing host", one("hosts", `{"driver":"existing","subnet":"10.10.0.0/24","nodes":[
		{"name":"a","role":"server","address":"10.10.0.11","vm":{"cpus":4}}]}`),
		"strata:hosts.nodes[0].vm: is only read by drivers libvirt and proxmox; remove it or set another driver"},
	{"recreate for an existing host", one("hosts", `{"driver":"existing","subnet":"10.10.0.0/24","nodes":[
		{"name":"a","role":"server","address":"10.10.0.11","recreate":"disk"}]}`),
		"strata:hosts.nodes[0].recreate: disk is for machines that Strata makes, and driver " +
			"existing makes none; remove it"},
}
