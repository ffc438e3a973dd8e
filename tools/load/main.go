// Command load sends POSTs at a constant rate and counts the lost ones (package attack), for `make
// load`, the stories and the benchmarks.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"strata/tools/load/attack"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run returns the exit code: 0 if the rate was kept and no request was lost, 1 otherwise, and 2 for
// wrong arguments.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	command := newCommand()
	command.SetArgs(args)
	command.SetIn(stdin)
	command.SetOut(stdout)
	command.SetErr(stderr)
	err := command.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	_, _ = fmt.Fprintln(stderr, "load:", err)
	if errors.As(err, new(lossError)) {
		return 1
	}
	return 2
}

// lossError is the error of a report with lost requests, or with too many unsent ones.
type lossError struct{ error }

type flags struct {
	attack.Options
	// stack and workload select the URL, its address and its CA from the stack's outputs.
	stack, project, workload string
	ca, json                 string
	size                     int
}

func newCommand() *cobra.Command {
	var flags flags
	command := &cobra.Command{
		Use:   "load [URL]",
		Short: "Send POSTs at a constant rate and count what is lost; a line on stdin begins a phase of that name",
		Long: "Send POSTs at a constant rate until --duration is over or it is interrupted, and " +
			"count what is lost, by phase and status.\n\n" +
			"Name a URL, or a stack's workload with --stack and --workload. Each line on stdin " +
			"begins a phase of that name.",
		Args:          cobra.MaximumNArgs(1),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command,
			args []string) error {
			return flags.send(cmd, args)
		},
	}
	f := command.Flags()
	f.StringVarP(&flags.stack, "stack", "s", "", "the stack whose workload is asked")
	f.StringVar(&flags.project, "project", ".", "the project's folder")
	f.StringVar(&flags.workload, "workload", "", "the workload's name, of strata:apps.workloads")
	f.StringVar(&flags.ConnectTo, "connect-to", "", "host:port to dial in place of the URL's")
	f.StringVar(&flags.ca, "ca", "", "file with the CA that the certificate must lead to")
	f.IntVar(&flags.Rate, "rate", 50, "requests a second")
	f.DurationVar(&flags.Duration, "duration", 0, "how long; 0: until interrupted")
	f.DurationVar(&flags.Timeout, "timeout", 40*time.Second,
		"after what a request without an answer is lost")
	f.IntVar(&flags.size, "size", 64, "bytes of each request's body")
	f.StringVar(&flags.Header, "count-header", "",
		"count answers by this header, for example X-Version")
	f.BoolVar(&flags.NewConnections, "new-connections", false, "make a connection for each request")
	f.StringVar(&flags.json, "json", "", "write the report as JSON to this file")
	command.MarkFlagsRequiredTogether("stack", "workload")
	return command
}

// send sends the requests of the options and writes the report to stdout.
func (f *flags) send(cmd *cobra.Command, args []string) error {
	if err := f.target(cmd.Context(), args); err != nil {
		return err
	}
	f.Body = bytes.Repeat([]byte("x"), f.size)
	phases := make(chan string)
	go names(cmd.InOrStdin(), phases)
	report, err := attack.Run(cmd.Context(), f.Options, phases)
	if err != nil {
		return err
	}
	if f.json != "" {
		text, err := json.MarshalIndent(report, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(f.json, append(text, '\n'), 0o600); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(cmd.OutOrStdout(), report.Text()); err != nil {
		return err
	}
	if err := report.Err(); err != nil {
		return lossError{err}
	}
	return nil
}

// names sends each line of from to the channel, as the name of a phase. At the end of from, it
// closes the channel.
func names(from io.Reader, to chan<- string) {
	defer close(to)
	for lines := bufio.NewScanner(from); lines.Scan(); {
		if name := strings.TrimSpace(lines.Text()); name != "" {
			to <- name
		}
	}
}

// target sets the target of the requests.
func (f *flags) target(ctx context.Context, args []string) error {
	switch {
	case len(args) == 1 && f.stack == "":
		f.URL = args[0]
	case len(args) == 0 && f.stack != "":
		return f.ofStack(ctx)
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

// ofStack reads URL, address and CA from the stack's outputs.
func (f *flags) ofStack(ctx context.Context) error {
	command := exec.CommandContext(ctx, "pulumi", "stack", "output", "--json", "--stack", f.stack,
		"--non-interactive")
	command.Dir, command.Stderr = f.project, os.Stderr
	text, err := command.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	var outputs map[string]any
	if err := json.Unmarshal(text, &outputs); err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	return f.OfWorkload(outputs, f.stack, f.workload)
}
