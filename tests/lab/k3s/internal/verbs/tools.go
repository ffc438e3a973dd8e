package verbs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"

	"strata/tests/lab/k3s/internal/node"
	"strata/tests/lab/k3s/internal/server"
)

const socket = node.Socket

// kubectl runs kubectl. Without $KUBECONFIG it uses K3s's kubeconfig, if that exists.
func kubectl(args []string) error {
	if os.Getenv("KUBECONFIG") == "" {
		if _, err := os.Stat(server.DefaultKubeconfig); err == nil {
			if err := os.Setenv("KUBECONFIG", server.DefaultKubeconfig); err != nil {
				return err
			}
		}
	}
	os.Args = append([]string{"kubectl"}, args...)
	os.Exit(cli.Run(cmd.NewDefaultKubectlCommand()))
	return nil
}

// toolPath returns the path of a container program: in K3s's data folder, or Debian's in /usr/bin.
func toolPath(name string) string {
	path := filepath.Join("/var/lib/rancher/k3s/data/current/bin", name)
	if _, err := os.Stat(path); err != nil {
		return "/usr/bin/" + name
	}
	return path
}

// runTool replaces this process by a container program.
func runTool(name string, args []string) error {
	path := toolPath(name)
	if _, err := exec.LookPath(path); err != nil {
		return fmt.Errorf("%s is not installed in this machine (the lab takes it from Debian)", name)
	}
	return syscall.Exec(path, append([]string{name}, args...), os.Environ())
}
