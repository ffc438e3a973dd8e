// Package control runs kube-apiserver, kube-controller-manager and kube-scheduler inside the k3s
// process, with the arguments that K3s gives them.
//
// Package control owns these arguments and the start of each component. It does not own etcd
// (datastore), the listener on 6443 (supervisor) or nodes (node). The upstream components are
// unchanged. If a component stops, the process ends, and systemd restarts it, as with K3s.
package control
