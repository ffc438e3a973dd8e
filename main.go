// Strata deploys a Kubernetes platform on bare hosts, and destroys it. Without an argument, it is
// the Pulumi program. With a subcommand, it is the command line for users and for the program's own
// resources.
package main

import (
	"strata/cli"
	"strata/platform"
)

func main() { cli.Main(platform.Program{}) }
