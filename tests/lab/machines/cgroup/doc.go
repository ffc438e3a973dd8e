// Package cgroup creates, limits, freezes and removes a machine's cgroups on this host. It moves a
// process into them, and kills all processes in them. It supports cgroup v1 and v2, with and
// without systemd.
//
// It does not own the processes: nspawn starts them.
//
// Guarantees: a requested limit is applied, or is an error. A kill ends all processes of the
// machine, also frozen ones and those that fork meanwhile. Only the machine's own cgroups are
// removed. The parent that all machines share is removed with the last machine.
package cgroup
