// Command needed prints the names of the artifacts that the stack of a file asks for, one a line:
// what `make up` has the lab build. It is no subcommand of strata because it comes before
// everything, and compiles half of what the program needs.
//
//	go run ./config/needed Pulumi.STACK.yaml
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"strata/config"
)

func main() {
	flag.Parse()
	names, err := needed(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(strings.Join(names, "\n"))
}

// needed are the artifacts of the stack whose file path is. Without one it is a mistake of that
// name.
func needed(path string) ([]string, error) {
	cfg, err := config.FromFile(path)
	if err != nil {
		return nil, err
	}
	return cfg.Needed(), nil
}
