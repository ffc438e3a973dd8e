// Command pve stands in for the commands of a Proxmox VE node that Strata uses. Called qm, pvesh or
// pvesm, it acts like that command, on a folder of its own. It accepts exactly the arguments in
// their manuals (syntax.go names the source of each) and refuses everything else, so that a
// misspelt option fails here and not on a real hypervisor.
//
// If PVE_LAB names the lab's program, a started machine is a lab machine (`lab machines`) that
// boots from its real seed. Otherwise a machine is only reported to run. The same applies to a
// machine that uses DHCP, because no DHCP server answers.
//
//	PVE_STATE     the folder: guests/ID.json, storage.json, faults.json
//	PVE_LAB       the lab's program; with it PVE_IMAGE, PVE_IMAGE_SHA256, PVE_BRIDGE and PVE_SUBNET
//
// It knows one node, called pve, and no permissions, snapshots, migration or hot plugging. Storages
// are folders with a limit.
package main
