package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"strata/actions/stack/recovery"
	"strata/cli/metrics"
	"strata/cli/timeline"
	"strata/cli/timeline/draw"
	"strata/internal/files/atomicfile"
	"strata/internal/pulumi/stackstate"
)

// timelineFlags are the flags of `strata timeline`. Each except asJSON is the path of a file to
// write.
type timelineFlags struct {
	asJSON                    bool
	svg, html, trace, metrics string
}

// newTimelineCommand returns `strata timeline`.
func newTimelineCommand() *cobra.Command {
	var flags timelineFlags
	command := &cobra.Command{
		Use:   "timeline FILE",
		Short: "Show a recorded run: what took how long, what waited for what, and the critical path",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := readRun(args[0])
			if err != nil {
				return err
			}
			if err := writeRun(run, flags); err != nil {
				return fmt.Errorf("timeline: %w", err)
			}
			if flags.asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(run)
			}
			return timeline.WriteTable(cmd.OutOrStdout(), run)
		},
	}
	command.Flags().BoolVar(&flags.asJSON, "json", false,
		"print the run as JSON; durations are in nanoseconds")
	command.Flags().StringVar(&flags.svg, "svg", "", "write a picture to this file")
	command.Flags().StringVar(&flags.html, "html", "",
		"write a page with the picture and its tables to this file")
	command.Flags().StringVar(&flags.trace, "trace", "",
		"write the run to this file as a trace for ui.perfetto.dev")
	command.Flags().StringVar(&flags.metrics, "metrics", "",
		"write the run as metrics to this file, whose name ends in .prom")
	return command
}

// readRun reads a recording. It fails if the recording contains no resource operation, for example
// because the run was refused.
func readRun(path string) (timeline.Run, error) {
	file, err := os.Open(path)
	if err != nil {
		return timeline.Run{}, err
	}
	defer func() { _ = file.Close() }()
	lines, err := timeline.Read(file)
	if err != nil {
		return timeline.Run{}, err
	}
	run := timeline.New(lines)
	if len(run.Bars) == 0 {
		return timeline.Run{}, fmt.Errorf(
			"%s: no step of a run is recorded: the run ended before its first", path)
	}
	return run, nil
}

// writeRun writes the requested files, each atomically. The metrics are readable by all users,
// because the node exporter runs as another user; the other files only by their owner.
func writeRun(run timeline.Run, flags timelineFlags) error {
	var problems []error
	for _, file := range []struct {
		path  string
		mode  fs.FileMode
		write func(io.Writer, timeline.Run) error
	}{
		{flags.svg, 0o600, draw.WriteSVG}, {flags.html, 0o600, draw.WriteHTML},
		{flags.trace, 0o600, timeline.WriteTrace},
		{flags.metrics, 0o644, metrics.WriteRun},
	} {
		if file.path == "" {
			continue
		}
		var content bytes.Buffer
		if err := file.write(&content, run); err != nil {
			problems = append(problems, err)
			continue
		}
		problems = append(problems, atomicfile.Write(file.path, content.Bytes(), file.mode))
	}
	return errors.Join(problems...)
}

// noteRun returns a function that records Pulumi's process id for `strata repair`. Without this
// record, repair does not remove the lock of a killed Pulumi.
func noteRun(cmd *cobra.Command, project string) func(pid int) {
	return func(pid int) {
		if err := recovery.NoteRun(project, pid); err != nil {
			cmd.PrintErrln("record:", err)
		}
	}
}

// newRecordCommand returns `strata record`, which runs a Pulumi command and writes a recording for
// `strata timeline`. It exits with the exit code of that command.
func newRecordCommand() *cobra.Command {
	var stack, project, file string
	command := &cobra.Command{
		Use:   "record -s STACK -o FILE -- pulumi up ARGS",
		Short: "Run a Pulumi command and record when each of its steps began and ended",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return fmt.Errorf("record: %w", err)
			}
			out, err := os.OpenFile(file, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
			if err != nil {
				return fmt.Errorf("record: %w", err)
			}
			recorder := timeline.Recorder{Out: out, Now: time.Now, Started: noteRun(cmd, project),
				Graph: func(ctx context.Context) (map[string][]string, error) {
					state, err := stackstate.CommandLine(project).ReadEncrypted(ctx, stack)
					if err != nil {
						return nil, err
					}
					return state.Graph(), nil
				}}
			err = errors.Join(recorder.Run(cmd.Context(), args), out.Close())
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				return &exitError{exit.ExitCode(), nil} // The command has printed its error.
			}
			return err
		},
	}
	ofStack(command, &stack, &project)
	command.Flags().StringVarP(&file, "output", "o", "", "the recording's file")
	requireFlag(command, "output")
	return command
}
