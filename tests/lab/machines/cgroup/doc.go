// Package cgroup owns a machine's control groups on this host, in version 1 and 2, with and without
// systemd. It makes, limits, freezes and removes them, joins a process, and kills all processes in
// them.
//
// It does not own the processes: nspawn starts them, and they join.
//
// Guarantees: a requested limit holds, or is an error. A kill leaves no process of the machine, not
// even a frozen one or one that forks meanwhile. Only the machine's own groups are removed, and the
// groups that all machines share go with the last of them.
package cgroup
