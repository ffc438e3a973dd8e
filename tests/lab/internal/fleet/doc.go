// Package fleet creates one machine for each node of a stack, and deletes the machines.
//
// A stack uses lab machines if the SSH key in its configuration is the lab's key of the stack,
// .strata/lab/STACK/key. Strata itself treats the machines as existing hosts
// (docs/adr/0078-the-lab-makes-its-machines.md).
//
// While a stack has machines, the folder .strata/lab/STACK contains:
//
//	login       the private SSH key; its holder owns the machines
//	hosts/NODE  the machine's host key, which a recreated machine uses again
//	key         a link to login while the machines run; it leads through /run, so a
//	            reboot, which also stops the machines, breaks it
package fleet
