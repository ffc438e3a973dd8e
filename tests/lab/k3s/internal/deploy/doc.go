// Package deploy applies the manifests in /var/lib/rancher/k3s/server/manifests, including those
// that K3s packages. It deletes the packaged components that are disabled.
//
// It owns the packaged files in this folder and the objects made from them. It does not own images
// or Helm charts: it skips a HelmChart manifest with a warning, because the lab has no Helm
// controller. A file is applied again only if it changed. As in K3s, a removed file deletes no
// objects.
package deploy
