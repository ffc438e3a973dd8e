package verbs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"k8s.io/component-base/version"

	"strata/tests/lab/k3s/internal/server"
)

// Commit is the text in brackets in the output of --version, where K3s has its Git commit. The
// build may set it.
var Commit = "standin"

var external = []string{"kubectl", "crictl", "ctr"}

// Known reports whether the program may be called by a name through a symbolic link.
func Known(name string) bool { return slices.Contains(external, name) }

// Run runs a command line, without the program's name.
func Run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		args = []string{"--help"}
	}
	rest := args[1:]
	switch args[0] {
	case "--version", "-v":
		fmt.Print(versionText(os.Args[0]))
		return nil
	case "--help", "-h", "help":
		fmt.Print(usage)
		return nil
	case "server":
		return server.RunServer(ctx, rest)
	case "agent":
		return server.RunAgent(ctx, rest)
	case "kubectl":
		return kubectl(rest)
	case "ctr":
		return ctr(rest)
	case "crictl":
		return runTool("crictl", append([]string{"--runtime-endpoint", "unix://" + socket}, rest...))
	case "etcd-snapshot":
		return etcdSnapshot(ctx, rest)
	}
	return fmt.Errorf("no help topic for %q", args[0])
}

// versionText returns the output of --version. Like K3s, it contains the name of the program's file
// (pkg/cli/cmds/agent.go, appName).
func versionText(program string) string {
	return fmt.Sprintf("%s version %s (%s)\ngo version %s\n", filepath.Base(program), version.Get().GitVersion, Commit, runtime.Version())
}

const usage = `NAME:
   k3s - Kubernetes, but small and simple

USAGE:
   k3s [global options] command [command options] [arguments...]

COMMANDS:
   server         Run management server
   agent          Run node agent
   kubectl        Run kubectl
   crictl         Run crictl
   ctr            Run ctr
   etcd-snapshot  Manage etcd snapshots

GLOBAL OPTIONS:
   --help, -h     show help
   --version, -v  print the version
`
