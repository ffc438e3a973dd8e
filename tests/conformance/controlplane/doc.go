// Command controlplane runs etcd, kube-apiserver and kube-controller-manager on loopback for the
// conformance table, all in one process.
//
// It owns a new cluster without nodes in a folder of its own, and writes a kubeconfig there once
// the server is ready. It ends when its standard input closes, so that a killed test leaves no
// process behind.
//
// It keeps no data: etcd does not sync to disk.
package main
