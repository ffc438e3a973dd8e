// Command pulumi-resource-command is the lab's stand-in for the official command plugin. See doc.go
// for its behaviour.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/pulumi/pulumi-go-provider/infer"

	"strata/tests/lab/plugins/command/local"
	"strata/tests/lab/plugins/command/remote"
)

// version is the version of the official plugin whose behaviour this stand-in has.
const version = "1.2.1"

func main() {
	if err := serve(); err != nil {
		fmt.Fprintf(os.Stderr, "command plugin: %s\n", err)
		os.Exit(1)
	}
}

func serve() error {
	provider, err := infer.NewProviderBuilder().
		WithResources(
			infer.Resource(&local.Command{}),
			infer.Resource(&remote.Command{}),
		).
		Build()
	if err != nil {
		return fmt.Errorf("describing the resources: %w", err)
	}
	return provider.Run(context.Background(), "command", version)
}
