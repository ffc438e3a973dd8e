// Package sshtest is an SSH server inside the test process, for tests of code that uses hosts. It
// speaks the real protocol. It executes commands by this machine's shell, or passes scripts to a
// function of the test. Only tests import it.
package sshtest
