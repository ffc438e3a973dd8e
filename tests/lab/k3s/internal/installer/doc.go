// Package installer holds the tests of ../../install.sh: it runs the script against folders of its
// own and compares what it leaves with what K3s's installer leaves. K3S_INSTALL=install.sh holds
// the original to the same.
package installer
