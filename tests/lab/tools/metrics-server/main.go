// Command metrics-server is metrics-server with the options that K3s sets. The server, its storage
// and its client are upstream's. Upstream's command does not compile with the version of
// Kubernetes that the lab uses.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
)

func main() {
	logs.InitLogs()
	defer logs.FlushLogs()
	o := newOptions()
	command := &cobra.Command{
		Use: "metrics-server", Short: "Launch metrics-server", SilenceUsage: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return run(o) },
	}
	o.addFlags(command.Flags())
	if err := command.Execute(); err != nil {
		os.Exit(1)
	}
}

// run serves until a signal stops it.
func run(o *options) error {
	if err := logsapi.ValidateAndApply(o.logging, nil); err != nil {
		return fmt.Errorf("reading the options for logs: %w", err)
	}
	config, err := o.config()
	if err != nil {
		return err
	}
	server, err := config.Complete()
	if err != nil {
		return fmt.Errorf("making the server: %w", err)
	}
	return server.RunUntil(genericapiserver.SetupSignalHandler())
}
