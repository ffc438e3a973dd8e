// Strata brings bare hosts to a working platform and back. Without an argument it is the Pulumi program, with a verb it is
// the command line that the program's own resources and its users run.
package main

import (
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/internal/cli"
	"strata/platform"
)

func main() {
	if len(os.Args) > 1 {
		os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	pulumi.Run(platform.Run)
}
