// Package deps installs the Debian packages that the lab's host needs; the image of the machines
// has those for the inside of machines. It changes nothing, and needs no root, if all packages are
// installed.
package deps
