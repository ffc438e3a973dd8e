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
// logs a name that the lab cannot build, and returns no error for it. Strata itself reports
// artifacts that the bundle lacks, and how to fix that.
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

// runSteps builds steps and reports progress. After a successful build that had something to build,
// it writes the build's record. It returns the steps' outputs.
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
