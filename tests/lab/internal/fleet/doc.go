// Package fleet creates one machine for each node of a stack, and deletes the machines.
//
// A stack uses lab machines if the SSH key in its configuration is the lab's key of the stack,
// .strata/lab/STACK/key. Strata itself treats the machines as existing hosts
// (docs/adr/0078-the-lab-makes-its-machines.md).
//
// While a stack has machines, the folder .strata/lab/STACK contains:
//
//	login       the private SSH key; its public key identifies the machines' owner
//	hosts/NODE  the machine's host key, which a recreated machine uses again
//	key         while the machines run, a link to login through /run; a reboot
//	            stops the machines, and breaks the link
package fleet
