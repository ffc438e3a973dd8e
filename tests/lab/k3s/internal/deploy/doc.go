// Package deploy applies the manifests of /var/lib/rancher/k3s/server/manifests, the packaged ones
// of K3s among them, and removes the packaged components that are disabled.
//
// It owns: that folder's packaged files and the objects made from them. It does not own: images,
// Helm charts (a HelmChart manifest is skipped with a warning: the lab has no Helm controller). It
// guarantees: a file is applied again only when it changed; removing a file removes nothing, as in
// K3s.
package deploy
