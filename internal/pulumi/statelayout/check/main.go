// Command check reads the states of this checkout's stacks before a build replaces the program that
// their deletes run. It fails if a state has another layout than the program that is to be built.
// It parses the files of the lab's backend as text, because a kill may have cut off a file. Pulumi
// may not be installed yet.
//
//	go run ./internal/pulumi/statelayout/check .strata/state
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"strata/internal/pulumi/statelayout"
)

func main() {
	if err := check(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var urn = regexp.MustCompile(`"urn": *"([^"]+)"`)

// check verifies each stack in the folder of a file backend.
func check(backend string) error {
	files, err := filepath.Glob(filepath.Join(backend, ".pulumi/stacks/*/*.json"))
	if err != nil {
		return err
	}
	var wrong []error
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var urns []string
		for _, found := range urn.FindAllStringSubmatch(string(text), -1) {
			urns = append(urns, found[1])
		}
		wrong = append(wrong, statelayout.Check(strings.TrimSuffix(filepath.Base(file),
			".json"), urns))
	}
	return errors.Join(wrong...)
}
