// Package deps installs the Debian packages that the host of a lab needs; what runs inside the
// machines comes with their image. A machine that has them all is not touched, and needs no root.
package deps
