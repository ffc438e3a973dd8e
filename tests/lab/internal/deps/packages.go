package deps

// Package is a Debian package that the lab needs on this host.
type Package struct {
	// Name is the name of the package in Debian.
	Name string
	// Why says what the package is for.
	Why string
}

// Packages are the packages that every use of the lab needs.
var Packages = []Package{
	{"arping", "who answers for a LoadBalancer address, from outside the cluster"},
	{"bsdextrautils", "column, for the tables of make help"},
	{"ca-certificates", "downloads of Go modules and packages"},
	{"curl", "requests from outside the cluster"},
	{"git", "the Pulumi CLI looks for the repository"},
	{"iproute2", "the machines' bridge"},
	{"iptables", "the machines' way out"},
	{"jq", "scripts read JSON"},
	{"kmod", "preflight looks for kernel modules"},
	{"mmdebstrap", "makes the machines' root file system"},
	{"openssh-client", "ssh to a machine by hand"},
	{"procps", "residue scans"},
	{"shellcheck", "checks of the scripts"},
	{"systemd-container", "systemd-nspawn: the machines"},
	{"util-linux", "nsenter and mount"},
	{"zstd", "upstream's image archives"},
}

// VMPackages are the additional packages for virtual machines (`lab vm`).
var VMPackages = []Package{
	{"dnsmasq-base", "libvirt's DHCP server"},
	{"fdisk", "sfdisk partitions the image"},
	{"grub-common", "grub-mkimage makes the image's boot loader"},
	{"libvirt-clients", "virsh"},
	{"libvirt-daemon", "libvirtd"},
	{"libvirt-daemon-driver-qemu", "libvirt runs QEMU"},
	{"libvirt-daemon-system", "libvirt's configuration"},
	{"qemu-system-x86", "the virtual machines"},
	{"qemu-utils", "qemu-img makes the image"},
}
