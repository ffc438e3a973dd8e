// Package rootfs owns a machine's own layer over its image: identity, network configuration,
// cloud-init's seed and SSH host key. It also has the settings that a container's kernel does not
// give, and the directories that cannot lie on an overlay.
//
// It owns neither the image nor the mount, but the mount's options (Layer.MountOptions,
// Layer.Binds).
//
// Guarantees: the layer is complete before the first boot. The next call completes an interrupted
// one without a changed identity or key. Only root can read private halves.
package rootfs
