// Command controlplane runs etcd, kube-apiserver and kube-controller-manager on loopback for the
// conformance table, all in one process.
//
// Its cluster is new, has no nodes, and is in one folder. The command writes a kubeconfig there
// once the API server is ready. It ends when its standard input closes, so that a killed test
// leaves no process behind.
//
// etcd does not sync its data to disk.
package main
