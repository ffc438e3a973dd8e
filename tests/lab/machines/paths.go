package machines

import (
	"path/filepath"

	"strata/tests/lab/machines/rootfs"
)

// stateDir holds images and machines. It is readable by root only: the images hold set-user-ID
// programs.
const stateDir = "/var/lib/strata"

func machinesDir() string { return filepath.Join(stateDir, "machines") }

func imagesDir() string { return filepath.Join(stateDir, "images") }

// imageDir returns the image's directory, named by the first 12 digits of the checksum; each spec
// has the whole one.
func imageDir(sha string) string { return filepath.Join(imagesDir(), sha[:12]) }

// dir is the directory of one machine.
type dir string

func machineDir(name string) dir { return dir(filepath.Join(machinesDir(), name)) }

func (d dir) path(elem ...string) string {
	return filepath.Join(append([]string{string(d)}, elem...)...)
}

// spec is also the marker: a directory without spec.json was not made here.
func (d dir) spec() string { return d.path("spec.json") }

// ready exists once sshd has answered: the creation is complete.
func (d dir) ready() string { return d.path("ready") }

// layer holds the machine's own layer over its image.
func (d dir) layer() rootfs.Layer { return rootfs.Layer(d) }

func (d dir) console() string { return d.path("console.log") }

func (d dir) supervisorLock() string { return d.path("supervisor.lock") }
