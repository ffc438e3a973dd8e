// Command pve stands in for the commands of a Proxmox VE node that Strata uses. If it is called qm,
// pvesh or pvesm, it acts like that command, on its own folder. It accepts only the arguments in
// their manuals (syntax.go names the sources). So a misspelt option fails here, and not on a real
// hypervisor.
//
// If PVE_LAB names the lab's program, a started machine is a lab machine (`lab machines`), which
// boots from its real seed. Otherwise a machine is only reported as running. So is a machine that
// uses DHCP, because there is no DHCP server.
//
//	PVE_STATE     the folder: guests/ID.json, storage.json, faults.json
//	PVE_LAB       the lab's program; with it PVE_IMAGE, PVE_IMAGE_SHA256, PVE_BRIDGE and PVE_SUBNET
//
// It knows one node, called pve, and no permissions, snapshots, migration or hot plugging. Storages
// are folders with a limit.
package main
