// Strata brings bare hosts to a working platform and back. Without an argument it is the Pulumi
// program, with a subcommand it is the command line that the program's own resources and its users
// run.
package main

import (
	"strata/cli"
	"strata/platform"
)

func main() { cli.Main(platform.Program{}) }
