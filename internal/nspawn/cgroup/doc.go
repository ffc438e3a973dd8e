// Package cgroup owns a machine's control groups on this host, in version 1 and 2, with and without
// systemd: making them, limits, joining, freezing, killing all that is in them, and removal.
//
// It does not own the processes: nspawn starts them, and they join.
//
// Guarantees: a limit that was asked for holds, or is an error; a kill leaves no process of the
// machine, also a frozen one or one that forks meanwhile; nothing but the machine's own groups is
// removed, and those that all machines share with the last of them.
package cgroup
