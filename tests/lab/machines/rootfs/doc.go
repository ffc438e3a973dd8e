// Package rootfs writes a machine's own layer over its image: identity, network configuration,
// cloud-init seed and SSH host key. The layer also has settings that a container does not get from
// its kernel, and directories that cannot be on an overlay.
//
// It does not own the image or the mount. Layer.MountOptions and Layer.Binds return the options of
// the mount.
//
// Guarantees: the layer is complete before the first boot. A repeated call completes an interrupted
// one without changing identity or key. Only root can read private keys.
package rootfs
