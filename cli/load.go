package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"strata/cli/load"
	"strata/internal/files/atomicfile"
	"strata/internal/pulumi/stackstate"
)

// loadFlags are the flags of `strata load`.
type loadFlags struct {
	load.Options
	// stack and workload name the URL, its address and its CA by the stack's outputs.
	stack, project, workload string
	ca, json                 string
	size                     int
}

// newLoadCommand is `strata load`. It exits with 0 when what the rate asks for was sent and nothing
// was lost, with 1 when not, and with 2 when it was called wrongly.
func newLoadCommand() *cobra.Command {
	var flags loadFlags
	command := &cobra.Command{
		Use:   "load [URL]",
		Short: "Send POSTs at a constant rate and count what is lost; a line on stdin begins a phase of that name",
		Long: "Send POSTs at a constant rate until --duration is over or it is interrupted, and count what is lost, by phase and status.\n\n" +
			"Name a URL, or a stack's workload with --stack and --workload. Each line on stdin begins a phase of that name.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runLoad(cmd, args, flags) },
	}
	f := command.Flags()
	f.StringVarP(&flags.stack, "stack", "s", "", "the stack whose workload is asked")
	f.StringVar(&flags.project, "project", ".", "the project's folder")
	f.StringVar(&flags.workload, "workload", "", "the workload's name, of strata:apps.workloads")
	f.StringVar(&flags.ConnectTo, "connect-to", "", "host:port to dial in place of the URL's")
	f.StringVar(&flags.ca, "ca", "", "file with the CA that the certificate must lead to")
	f.IntVar(&flags.Rate, "rate", 50, "requests a second")
	f.DurationVar(&flags.Duration, "duration", 0, "how long; 0: until interrupted")
	f.DurationVar(&flags.Timeout, "timeout", 40*time.Second, "after what a request without an answer is lost")
	f.IntVar(&flags.size, "size", 64, "bytes of each request's body")
	f.StringVar(&flags.Header, "count-header", "", "count answers by this header, for example X-Version")
	f.BoolVar(&flags.NewConnections, "new-connections", false, "make a connection for each request")
	f.StringVar(&flags.json, "json", "", "write the report as JSON to this file")
	command.MarkFlagsRequiredTogether("stack", "workload")
	return command
}

func runLoad(cmd *cobra.Command, args []string, flags loadFlags) error {
	if err := flags.target(cmd, args); err != nil {
		return &exitError{2, err}
	}
	flags.Body = bytes.Repeat([]byte("x"), flags.size)
	phases := make(chan string)
	go names(cmd.InOrStdin(), phases)
	report, err := load.Run(cmd.Context(), flags.Options, phases)
	if err != nil {
		return &exitError{2, err}
	}
	if flags.json != "" {
		text, err := json.MarshalIndent(report, "", "  ")
		if err != nil {
			return err
		}
		if err := atomicfile.Write(flags.json, append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(cmd.OutOrStdout(), report.Text()); err != nil {
		return err
	}
	if err := report.Err(); err != nil {
		return &exitError{1, err}
	}
	return nil
}

// names sends the lines of a reader, and closes the channel at its end.
func names(from io.Reader, to chan<- string) {
	defer close(to)
	for lines := bufio.NewScanner(from); lines.Scan(); {
		if name := strings.TrimSpace(lines.Text()); name != "" {
			to <- name
		}
	}
}

// target fills in where the requests go.
func (f *loadFlags) target(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 1 && f.stack == "":
		f.URL = args[0]
	case len(args) == 0 && f.stack != "":
		return f.ofStack(cmd)
	default:
		return errors.New("expected a URL, or --stack and --workload")
	}
	if f.ca != "" {
		text, err := os.ReadFile(f.ca)
		if err != nil {
			return fmt.Errorf("--ca: %w", err)
		}
		f.CA = text
	}
	return nil
}

// ofStack takes URL, address and CA from the stack's outputs.
func (f *loadFlags) ofStack(cmd *cobra.Command) error {
	state, err := stackstate.CommandLine(f.project).ReadEncrypted(cmd.Context(), f.stack)
	if err != nil {
		return err
	}
	outputs, err := state.Outputs()
	if err != nil {
		return err
	}
	return f.OfWorkload(outputs, f.stack, f.workload)
}
