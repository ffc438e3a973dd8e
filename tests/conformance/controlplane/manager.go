package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// managerVerb is the argument that makes this program run kube-controller-manager.
const managerVerb = "kube-controller-manager"

// runManager runs the controller manager in its own process, because its feature gates cannot be
// set in the process of an API server. The new process also ends if this one is killed.
func runManager(args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	command := exec.Command(self, append([]string{managerVerb}, args...)...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w", managerVerb, err)
	}
	return nil
}
