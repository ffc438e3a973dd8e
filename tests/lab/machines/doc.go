// Package machines creates and manages the lab's hosts: Debian machines with systemd, sshd and
// cloud-init that run in systemd-nspawn on this machine, connected by a bridge. `lab machines` is
// its command line. The packages below manage cgroups, network and files, and do not know Spec.
//
// It does not own the software inside a machine. It uses SSH only to check that sshd responds with
// the expected host key.
//
// A machine is a directory, /var/lib/strata/machines/NAME, and a process that supervises
// systemd-nspawn:
//
//	lab machines supervise NAME   runs until the machine is powered off; its lock on
//	│                             supervisor.lock means "running"
//	└─ lab machines boot NAME     joins the cgroups, mounts the root in its own mount
//	                              namespace, and becomes systemd-nspawn, which exits with 133
//	                              for a reboot: the supervisor then boots the machine again
//
// Guarantees: every operation may be repeated and interrupted. Operations on one machine exclude
// each other. Operations on different machines can run at the same time. Only objects that
// this package created are changed. When the last machine of a bridge has been deleted, no mount,
// cgroup, interface, packet filter rule or file is left. Only the sysctls that were raised on this
// host remain.
//
// Faults for tests, from outside the machine:
//
//	lab machines stop --hard NAME               power cut; start NAME boots it again
//	lab machines pause NAME, resume NAME        a host that hangs: its address stays
//	"bootDelay": "60s" in the spec              a host that boots slowly
//	lab machines exec NAME -- reboot            reboot
//	lab machines exec NAME -- systemctl stop ssh
//	                                            SSH refused, everything else works
//	lab machines exec NAME -- iptables -I INPUT -p tcp --dport 6443 -j DROP
//	                                            a port that does not respond
//	lab machines exec NAME -- tc qdisc add dev host0 root netem delay 200ms
//	                                            slow network; needs netem in the kernel
//	ip link set vb-NAME down, up                unplugged cable; for the interface of a long
//	                                            name: ip -br link show master BRIDGE
package machines
