package main

import (
	"fmt"
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"strata/tests/lab/plugins/kubernetes/server"
)

// version is the release of the official plugin whose behaviour this one keeps.
const version = "4.32.0"

func main() {
	err := provider.Main("kubernetes", func(host *provider.HostClient) (pulumirpc.ResourceProviderServer, error) {
		return server.New(host, version), nil
	})
	if err != nil {
		fmt.Fprintf(os.Stderr, "kubernetes plugin: %s\n", err)
		os.Exit(1)
	}
}
