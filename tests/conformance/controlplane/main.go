package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == managerVerb {
		exit(execute(manager.NewControllerManagerCommand(), os.Args[2:]))
		return
	}
	dir := flag.String("dir", "", "folder for data, certificates and the kubeconfig; must be empty")
	flag.Parse()
	exit(run(*dir))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "controlplane: %s\n", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	files, err := newFiles(dir)
	if err != nil {
		return err
	}
	store, err := startEtcd(dir, files.etcdPort, files.etcdPeerPort)
	if err != nil {
		return err
	}
	defer store.Close()
	failed := make(chan error, 2)
	go func() { failed <- execute(apiserver.NewAPIServerCommand(), files.apiserver()) }()
	if err := files.awaitReady(failed); err != nil {
		return err
	}
	go func() { failed <- runManager(files.manager()) }()
	if err := clientcmd.WriteToFile(*files.config, filepath.Join(dir, "kubeconfig")); err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", err)
	}
	closed := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, os.Stdin)
		closed <- err
	}()
	select {
	case err := <-failed:
		return err
	case err := <-closed:
		return err
	}
}

func execute(command *cobra.Command, args []string) error {
	command.SetArgs(args)
	return command.ExecuteContext(context.Background())
}
