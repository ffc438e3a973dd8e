package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// managerVerb makes this program kube-controller-manager.
const managerVerb = "kube-controller-manager"

// runManager runs the controller manager in a process of its own, because its feature gates cannot
// be set in a process with an API server. It ends with this process, however that ends.
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
