// Command pve stands in for the commands of a Proxmox VE node that Strata uses: called qm, pvesh or
// pvesm, it acts as they do, on a folder of its own. It takes exactly the arguments that their
// manuals document (syntax.go names the source of each) and refuses everything else, so that a
// misspelt option fails here and not on a real hypervisor.
//
// A machine that is started is a lab machine (`lab machines`) which boots from the very seed that it
// was given, where PVE_LAB names the lab's program; without it, a machine is only reported to run.
// So is one that asks for its address: no DHCP server answers.
//
//	PVE_STATE     the folder: guests/ID.json, storage.json, faults.json
//	PVE_LAB       the lab's program; with it PVE_IMAGE, PVE_IMAGE_SHA256, PVE_BRIDGE and PVE_SUBNET
//
// It knows one node, called pve, and no permissions, snapshots, migration or hot plugging. Storages
// are folders with a limit.
package main
