package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"strata/tests/lab/internal/layout"
	"strata/tests/lab/machines"
)

// machineTimeout is the default time limit for one machine. Extracting its image takes seconds, and
// a boot takes one or two seconds. A slow disk or a configured boot delay may take minutes.
const machineTimeout = 10 * time.Minute

// newMachines returns the command `lab machines`.
func newMachines(at layout.Layout) *cobra.Command {
	command := &cobra.Command{
		Use: "machines",
		Short: "Make and remove hosts that run in systemd-nspawn on this machine (root): those " +
			"of a stack's nodes, or single ones",
	}
	command.PersistentFlags().Duration("timeout", machineTimeout, "bound for each machine")
	command.AddCommand(fleetVerbs(at)...)
	command.AddCommand(machineCreate(), machineList(), machineExec(), machineStop(),
		machineVerb("delete", "Remove machines with everything made for them", machines.Delete),
		machineVerb("start", "Start machines that do not run, as after a reboot of this host; "+
			"with --all, only those that are whole", machines.Start),
		machineVerb("pause", "Freeze machines: a node that hangs", withoutLog(machines.Pause)),
		machineVerb("resume", "Let paused machines go on", withoutLog(machines.Resume)),
	)
	return command
}

func machineCreate() *cobra.Command {
	return &cobra.Command{
		Use:   "create",
		Short: "Make the machine whose spec (JSON) is on stdin, or start it; prints name, address and hostKey as JSON",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			spec, err := machines.ReadSpec(command.InOrStdin())
			if err != nil {
				return err
			}
			ctx, cancel := bounded(command)
			defer cancel()
			made, err := machines.Create(ctx, spec, logTo(command.ErrOrStderr()))
			if err != nil {
				return err
			}
			return json.NewEncoder(command.OutOrStdout()).Encode(made)
		},
	}
}

func machineStop() *cobra.Command {
	var hard bool
	command := machineVerb("stop", "Power machines off; what does not obey is killed",
		func(ctx context.Context, name string, _ *machines.Log) error { return machines.Stop(ctx, name, hard) })
	command.Flags().BoolVar(&hard, "hard", false, "kill at once, as a power cut does")
	return command
}

func machineList() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "list",
		Short: "Show name, state, address, bridge and process of every machine",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			all, err := machines.List()
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(command.OutOrStdout()).Encode(all)
			}
			table := tabwriter.NewWriter(command.OutOrStdout(), 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintln(table, "NAME\tSTATE\tADDRESS\tBRIDGE\tPID")
			for _, m := range all {
				_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\n", m.Name, m.State, m.Address, m.Bridge, m.Pid)
			}
			return table.Flush()
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

func machineExec() *cobra.Command {
	return &cobra.Command{
		Use:   "exec NAME -- COMMAND [ARG…]",
		Short: "Run a command in a machine as root, without its network or sshd",
		Args:  cobra.MinimumNArgs(2),
		RunE: func(command *cobra.Command, args []string) error {
			return machines.Exec(command.Context(), args[0], args[1:])
		},
	}
}

type machineAction func(ctx context.Context, name string, log *machines.Log) error

func withoutLog(do func(ctx context.Context, name string) error) machineAction {
	return func(ctx context.Context, name string, _ *machines.Log) error { return do(ctx, name) }
}

// machineVerb returns a command that calls do for each named machine, or for all machines with
// --all. The command reports every failure.
func machineVerb(verb, short string, do machineAction) *cobra.Command {
	var all bool
	var prefix string
	command := &cobra.Command{Use: verb + " [NAME…]", Short: short}
	command.Flags().BoolVar(&all, "all", false, "every machine of this host")
	command.Flags().StringVar(&prefix, "prefix", "", "with --all: only names that begin with this")
	command.RunE = func(command *cobra.Command, names []string) error {
		if all {
			found, err := machines.List()
			if err != nil {
				return err
			}
			for _, m := range found {
				// An incomplete machine cannot be started. The next `lab machines up` or `create`
				// makes it again.
				if strings.HasPrefix(m.Name, prefix) && (verb != "start" || m.State != machines.Incomplete) {
					names = append(names, m.Name)
				}
			}
		} else if len(names) == 0 {
			return errors.New("which machine: expected names or --all (lab machines list shows them)")
		}
		return onEach(command, names, do)
	}
	return command
}

// onEach calls do for all machines at once. It waits for every call, even if one fails.
func onEach(command *cobra.Command, names []string, do machineAction) error {
	failures := make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() {
			ctx, cancel := bounded(command)
			defer cancel()
			failures[i] = do(ctx, name, logTo(command.ErrOrStderr()))
		})
	}
	all.Wait()
	return errors.Join(failures...)
}

func bounded(command *cobra.Command) (context.Context, context.CancelFunc) {
	timeout, err := command.Flags().GetDuration("timeout")
	if err != nil {
		timeout = machineTimeout
	}
	return context.WithTimeout(command.Context(), timeout)
}

func logTo(w io.Writer) *machines.Log { return &machines.Log{W: w} }
