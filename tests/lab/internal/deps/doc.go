// Package deps installs the Debian packages that the host of a lab needs; those inside the machines
// come with their image. A machine that has them all is not touched, and needs no root.
package deps
