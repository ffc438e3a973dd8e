// Package control runs kube-apiserver, kube-controller-manager and kube-scheduler inside the k3s
// process, with the arguments K3s gives them.
//
// It owns: those arguments and the start of each component. It does not own: etcd (datastore), the
// listener on 6443 (supervisor), nodes (node).
// It guarantees: the upstream components run unchanged; a component that stops ends the process, so
// that systemd restarts it, as with K3s.
package control
