// Package deps installs the Debian packages that the lab needs on this host. Packages for the
// inside of machines are in the machine image (tests/lab/image). If all packages are installed,
// deps changes nothing and needs no root.
package deps
