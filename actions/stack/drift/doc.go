// Package drift compares the hosts and the cluster of a stack with what the stack's last update
// left, and puts back what differs (docs/adr/0083).
//
// It owns what is compared, which differences count, and how an object is put back. It does not own
// when that happens: package components marks the resources that own the differences, so that
// previews and updates show them.
//
// It compares with the state, not with the configuration. A comparison changes nothing. A
// difference names paths and fields, but never a text that it found, which may be secret.
package drift
