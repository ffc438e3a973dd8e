package machines

import (
	"path/filepath"

	"strata/tests/lab/machines/rootfs"
)

// stateDir has the images and machines. Only root may read it, because images contain set-user-ID
// programs.
const stateDir = "/var/lib/strata"

func machinesDir() string { return filepath.Join(stateDir, "machines") }

func imagesDir() string { return filepath.Join(stateDir, "images") }

// imageDir returns the directory of an extracted image. Its name is the first 12 digits of the
// checksum. Specs have the whole checksum.
func imageDir(sha string) string { return filepath.Join(imagesDir(), sha[:12]) }

// dir is the directory of one machine.
type dir string

func machineDir(name string) dir { return dir(filepath.Join(machinesDir(), name)) }

func (d dir) path(elem ...string) string {
	return filepath.Join(append([]string{string(d)}, elem...)...)
}

// spec returns the path of the spec. A directory without this file is not a machine.
func (d dir) spec() string { return d.path("spec.json") }

// ready returns the path of the file that marks a machine as complete. It is written when sshd has
// responded for the first time.
func (d dir) ready() string { return d.path("ready") }

// layer returns the machine's own layer over its image.
func (d dir) layer() rootfs.Layer { return rootfs.Layer(d) }

func (d dir) console() string { return d.path("console.log") }

func (d dir) supervisorLock() string { return d.path("supervisor.lock") }
