// Command needed prints the names of the artifacts that the lab builds for a stack before `make
// up`, one per line. The last line is the source of the stack's artifacts: lab, upstream or a
// folder. It is not a subcommand of strata, because it runs before the program is built. It
// compiles only half of the program's packages.
//
//	go run ./config/needed Pulumi.STACK.yaml
package main

import (
	"fmt"
	"os"
	"strings"

	"strata/config"
)

// labBundle is the path, a link, of the lab's bundle in stack files and STRATA_ARTIFACTS.
const labBundle = ".strata/bundle"

func main() {
	lines, err := listArtifacts(os.Args[len(os.Args)-1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(strings.Join(lines, "\n"))
}

// listArtifacts returns the lines for a stack file. A mistake in the file is an error.
func listArtifacts(path string) ([]string, error) {
	cfg, err := config.FromFile(path)
	if err != nil {
		return nil, err
	}
	var lines []string
	source := cfg.Artifacts.Source
	if source == labBundle {
		source = "lab"
		lines = cfg.NeededArtifacts()
	}
	return append(lines, source), nil
}
