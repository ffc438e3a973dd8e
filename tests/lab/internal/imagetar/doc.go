// Package imagetar writes container images as docker-archive tars, the form that containerd and K3s
// import without a registry. An image is a few files in one layer and the configuration that
// Kubernetes looks at.
//
// It guarantees that equal inputs give equal bytes, and that every image names its user by number:
// the kubelet cannot judge runAsNonRoot by a name.
package imagetar
