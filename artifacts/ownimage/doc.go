// Package ownimage makes the images of this repository's own programs, which no registry has. It
// compiles a program and packs it into an archive that containerd and Docker load, and needs
// neither of them. It does not own the list of images (config.OwnImages).
package ownimage
