// Package sshtest is an SSH server inside the test process, for tests of what talks to hosts. It
// speaks the real protocol and runs commands with this machine's shell, or hands scripts to a
// function of the test. Only tests import it.
package sshtest
