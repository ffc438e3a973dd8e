// Package fleet makes one machine for each node of a stack, and takes the machines away again.
//
// A stack has machines of the lab when it logs in to its hosts with the lab's key,
// .strata/lab/STACK/key. Strata itself knows nothing of that: to a stack they are hosts that exist
// (docs/adr/0078-the-lab-makes-its-machines.md).
//
// The folder .strata/lab/STACK has, until the machines are taken away:
//
//	login       the private key that logs in; whoever has it owns the machines
//	hosts/NODE  the machine's host key, which a machine that is made anew gets again
//	key         the way to login while the machines run; it leads through /run, so a reboot ends it
package fleet
