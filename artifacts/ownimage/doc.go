// Package ownimage builds the images of this repository's own programs, which no registry has. It
// compiles a program and packs it into an archive that containerd and Docker can load; it needs
// neither of them. The images are listed in config.OwnImages.
package ownimage
