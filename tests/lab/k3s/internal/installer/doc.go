// Package installer holds the tests of ../../install.sh: it runs the script against folders of its own and
// compares what it leaves with what K3s's installer leaves.
package installer
