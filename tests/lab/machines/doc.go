// Package machines owns the lab's hosts: Debian machines with systemd, sshd and cloud-init that run
// in systemd-nspawn on this machine, joined by a bridge. It owns their spec, image, process,
// lifecycle and removal; `lab machines` is their command line. The packages below own their
// cgroups, network and files, and know no Spec.
//
// It owns neither the software inside a machine, nor SSH beyond the check that sshd answers with
// the key made here.
//
// A machine is one directory, /var/lib/strata/machines/NAME, and one process that supervises
// systemd-nspawn:
//
//	lab machines supervise NAME  outlives its caller; its lock on supervisor.lock means "running"
//	└─ lab machines boot NAME    joins the cgroups, mounts the root in its own mount namespace, becomes
//	   └─ systemd-nspawn           exits with 133 when the machine reboots: the supervisor boots it again
//
// Guarantees: every operation may be repeated and interrupted. Operations on one machine exclude
// each other; those on different machines run at once. Only objects that were created here are
// touched. After the last machine of a bridge is deleted, no mount, cgroup, interface, packet
// filter rule or file is left. The sysctls raised on this machine stay raised.
//
// Faults for tests, from outside the machine:
//
//	lab machines stop --hard NAME                  power cut; start NAME boots it again
//	lab machines pause NAME, resume NAME           a host that hangs: addresses stay, nothing answers
//	"bootDelay": "60s" in the spec                   a host that is slow to boot
//	lab machines exec NAME -- reboot               a reboot: the supervisor boots it again
//	lab machines exec NAME -- systemctl stop ssh   SSH refused, everything else works
//	lab machines exec NAME -- iptables -I INPUT -p tcp --dport 6443 -j DROP
//	lab machines exec NAME -- tc qdisc add dev host0 root netem delay 200ms   (needs netem in the kernel)
//	ip link set vb-NAME down, up                     the cable pulled (long names: ip -br link show master BRIDGE)
package machines
