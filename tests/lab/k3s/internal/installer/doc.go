// Package installer has the tests of ../../install.sh. They run the script in temporary folders,
// and check its files against those of K3s's installer. With K3S_INSTALL=FILE, the same tests run
// against K3s's own install script.
package installer
