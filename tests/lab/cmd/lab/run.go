package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/catalog"
	"strata/tests/lab/internal/layout"
)

// stepsFor returns the build steps for the artifacts in names, a list separated by white space. It
// only logs names that the lab cannot build. Strata itself reports each artifact that the bundle
// lacks, with the fix.
func stepsFor(at layout.Layout, out, names string, log io.Writer) ([]build.Step, error) {
	known, err := catalog.ArtifactsOf(at)
	if err != nil {
		return nil, err
	}
	var wanted []string
	for _, name := range strings.Fields(names) {
		if !slices.Contains(known, name) {
			_, _ = fmt.Fprintf(log, "lab: nothing here builds %s\n", name)
			continue
		}
		wanted = append(wanted, name)
	}
	return catalog.StepsFor(at, out, wanted)
}

// runSteps builds steps, reports progress and returns the steps' outputs. If the build succeeded
// and not every step was cached, runSteps writes the build's record.
func runSteps(command *cobra.Command, at layout.Layout, steps []build.Step, jobs int) (build.Outputs, error) {
	progress := build.NewProgress(command.ErrOrStderr())
	progress.Weights = catalog.Weights()
	done := make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() { progress.Tell(tellEvery, done) })
	outputs, err := build.Runner{Dir: at.Tools(), Jobs: jobs, Progress: progress}.Run(command.Context(), steps)
	close(done)
	telling.Wait()
	if record := progress.Record(); err == nil && record.Built() {
		return outputs, record.Write(at.Record())
	}
	return outputs, err
}
