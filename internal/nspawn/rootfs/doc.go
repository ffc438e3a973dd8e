// Package rootfs owns a machine's own layer over its image: identity, network configuration,
// cloud-init's seed, SSH host key, the settings that a container's kernel does not give, and the
// directories that cannot lie on an overlay.
//
// It does not own the image, nor the mount: it says with which options (Layer.MountOptions,
// Layer.Binds).
//
// Guarantees: the layer is complete before the first boot; an interrupted call is completed by the
// next one without a changed identity or key; private halves are readable by root only.
package rootfs
