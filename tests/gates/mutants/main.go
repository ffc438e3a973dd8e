package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// The files of these functions are facts' way to a verdict; the others observe, wait or print.
const healthPackage = "health"

// skippedFiles hold no judgement: the words of hints, and what only prints or waits.
var skippedFiles = []string{"gate.go", "report.go", "run.go", "wait.go", "kube_hint.go", "webhook_hint.go", "probe.go", "doc.go"}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run() error {
	files, err := filepath.Glob(filepath.Join(healthPackage, "*.go"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no files in %s: run it in the root of the repository", healthPackage)
	}
	files = slices.DeleteFunc(files, func(path string) bool {
		matched, _ := filepath.Match("*_test.go", filepath.Base(path))
		return matched || slices.Contains(skippedFiles, filepath.Base(path))
	})
	changer := &changer{}
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return fmt.Errorf("scratch folder: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // scratch.
	binary, err := changer.build(files, folder)
	if err != nil {
		return err
	}
	if err := changer.try(binary); err != nil {
		return err
	}
	return changer.report(filepath.Join("tests", "gates", "mutants.md"))
}
