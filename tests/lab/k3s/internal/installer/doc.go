// Package installer holds the tests of ../../install.sh: it runs the script against folders of its
// own and compares its files with those of K3s's installer. K3S_INSTALL=install.sh holds the
// original to the same.
package installer
