package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"strata/actions/stack/drift"
	"strata/cli/metrics"
	"strata/config"
	"strata/internal/files/atomicfile"
	"strata/internal/pulumi/stackstate"
	"strata/internal/text/table"
)

// driftFlags are the flags of `strata drift`.
type driftFlags struct {
	stack, project, file string
	asJSON               bool
	// metrics is the path of the metrics file to write.
	metrics string
}

// newDriftCommand returns `strata drift`. It exits with 0 if nothing differs, and with 1 if
// something does. It exits with 2 if it found no difference, but could not compare everything.
func newDriftCommand() *cobra.Command {
	var flags driftFlags
	command := &cobra.Command{
		Use:   "drift",
		Short: "Name what was changed on hosts and in the cluster since the last update, and change nothing",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return flags.run(cmd) },
	}
	ofStack(command, &flags.stack, &flags.project)
	ofFile(command, &flags.file)
	command.Flags().BoolVar(&flags.asJSON, "json", false, "print the differences as JSON")
	command.Flags().StringVar(&flags.metrics, "metrics", "",
		"write the numbers as metrics to this file, whose name ends in .prom")
	return command
}

func (f driftFlags) run(cmd *cobra.Command) error {
	cfg, err := config.OfStack(f.project, f.stack, stackFile(f.file, f.project, f.stack))
	if err != nil {
		return err
	}
	state, err := stackstate.CommandLine(f.project).Read(cmd.Context(), f.stack)
	if err != nil {
		return err
	}
	report, closes, err := drift.Find(cmd.Context(), state, cfg.Drift.Ignore)
	if err != nil {
		return err
	}
	defer closes()
	if f.metrics != "" {
		var content bytes.Buffer
		err := metrics.WriteDrift(&content, f.stack, report, time.Now())
		if err == nil {
			err = atomicfile.Write(f.metrics, content.Bytes(), 0o644)
		}
		if err != nil {
			return fmt.Errorf("metrics: %w", err)
		}
	}
	return f.show(cmd.OutOrStdout(), report)
}

// show prints a report, and returns the exit code as an error.
func (f driftFlags) show(out io.Writer, report *drift.Report) (err error) {
	if f.asJSON {
		err = json.NewEncoder(out).Encode(append([]drift.Difference{}, report.Differences...))
	} else {
		err = printDrift(out, report.Differences)
	}
	switch unanswered := errors.Join(report.Unanswered...); {
	case err != nil:
		return fmt.Errorf("drift: %w", err)
	case len(report.Differences) > 0:
		return &exitError{1, unanswered}
	case unanswered != nil:
		return &exitError{2, fmt.Errorf("not compared: %w", unanswered)}
	}
	return nil
}

func printDrift(out io.Writer, differences []drift.Difference) error {
	if len(differences) == 0 {
		_, err := fmt.Fprintln(out, "Nothing that was compared differs from what the last update left.")
		return err
	}
	rows := table.New(out, "THING", "VERDICT", "FIELDS", "EVIDENCE", "NEXT UP")
	for _, one := range differences {
		next := "puts it back"
		if one.Kept != "" {
			next = "leaves it: " + one.Kept
		}
		rows.Row(one.Thing, string(one.Verdict), strings.Join(one.Fields, ", "), one.Evidence, next)
	}
	return rows.Flush()
}
