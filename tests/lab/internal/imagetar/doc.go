// Package imagetar writes container images as docker-archive tar files, which containerd and K3s
// import without a registry. An image has one or two layers and the configuration that Kubernetes
// reads.
//
// Equal inputs give equal bytes. Every image has a numeric user, because the kubelet cannot check
// runAsNonRoot for a user name.
package imagetar
