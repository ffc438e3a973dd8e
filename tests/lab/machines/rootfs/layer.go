package rootfs

import (
	"fmt"
	"path/filepath"
)

// Layer is the directory with a machine's own files: the overlay's upper layer, and the directories
// that cannot be on an overlay.
type Layer string

func (l Layer) path(elem string) string { return filepath.Join(string(l), elem) }

// upper returns the overlay's upper directory, which has the differences from the image.
func (l Layer) upper() string { return l.path("upper") }

func (l Layer) work() string { return l.path("work") }

// Root returns the mount point of the overlay.
func (l Layer) Root() string { return l.path("root") }

func (l Layer) disk() string { return l.path("disk") }

func (l Layer) hostKey() string { return filepath.Join(l.upper(), "etc/ssh/ssh_host_ed25519_key") }

// MountOptions returns the mount options of the overlay that is the machine's root.
func (l Layer) MountOptions(image string) string {
	return fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", image, l.upper(), l.work())
}

// Binds returns the arguments of nspawn's option --bind for the directories that are not on the
// overlay.
func (l Layer) Binds() []string {
	var binds []string
	for _, p := range diskPaths {
		binds = append(binds, fmt.Sprintf("%s:%s", filepath.Join(l.disk(), filepath.Base(p)), p))
	}
	return binds
}
