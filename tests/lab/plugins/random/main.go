package main

import (
	"context"
	"fmt"
	"os"

	"github.com/pulumi/pulumi-go-provider/infer"
)

// version is the version of the official plugin whose behaviour this stand-in has.
const version = "4.19.2"

func main() {
	if err := serve(); err != nil {
		fmt.Fprintf(os.Stderr, "random plugin: %s\n", err)
		os.Exit(1)
	}
}

func serve() error {
	provider, err := infer.NewProviderBuilder().
		WithResources(
			infer.Resource(&RandomPassword{}),
			infer.Resource(&RandomID{}),
		).
		Build()
	if err != nil {
		return fmt.Errorf("describing the resources: %w", err)
	}
	return provider.Run(context.Background(), "random", version)
}
