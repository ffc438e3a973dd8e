// Package ownimage makes the images of this repository's own programs, which no registry has: it
// compiles a program and wraps it into an archive that containerd and Docker load, without either.
// It does not own which images there are (config.OwnImages).
package ownimage
