package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"strata/internal/nspawn"
	"strata/internal/text/table"
)

// machineTimeout bounds one subcommand on one machine.
const machineTimeout = 3 * time.Minute

// newMachineCommand is `strata machine`: the lab's hosts on this machine.
func newMachineCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "machine",
		Short: "Make and remove hosts that run in systemd-nspawn on this machine (needs root)",
	}
	cmd.AddCommand(machineList(), machineExec(), machineSupervise(), machineBoot())
	cmd.AddCommand(
		newVerbCommand("machine create",
			"Make the machine whose spec (JSON) is on stdin, or start it; prints name, address and hostKey as JSON"),
		machineSubcommand("delete",
			"Remove machines with everything made for them; without a name, that of the spec on stdin", nspawn.Delete),
		machineSubcommand("start", "Start machines that do not run, as after a reboot of this host; with --all, only those that are whole", nspawn.Start),
		machineStop(),
		machineSubcommand("pause", "Freeze machines: a node that hangs", withoutLog(nspawn.Pause)),
		machineSubcommand("resume", "Let paused machines go on", withoutLog(nspawn.Resume)),
	)
	return cmd
}

func machineStop() *cobra.Command {
	var hard bool
	cmd := machineSubcommand("stop", "Power machines off; what does not obey is killed",
		func(ctx context.Context, name string, _ *nspawn.Log) error { return nspawn.Stop(ctx, name, hard) })
	cmd.Flags().BoolVar(&hard, "hard", false, "kill at once, as a power cut does")
	return cmd
}

func machineList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Show name, state, address, bridge and process of every machine",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := nspawn.List()
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(all)
			}
			rows := table.New(cmd.OutOrStdout(), "NAME", "STATE", "ADDRESS", "BRIDGE", "PID")
			for _, m := range all {
				rows.Row(m.Name, string(m.State), m.Address.String(), m.Bridge, strconv.Itoa(m.Pid))
			}
			return rows.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func machineExec() *cobra.Command {
	return &cobra.Command{
		Use:   "exec NAME -- COMMAND [ARG…]",
		Short: "Run a command in a machine as root, without its network or sshd",
		Args:  cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return nspawn.Exec(cmd.Context(), args[0], args[1:])
		},
	}
}

// machineSupervise and machineBoot are the processes of a running machine; people start them with
// create and start.
func machineSupervise() *cobra.Command {
	return &cobra.Command{
		Use: "supervise NAME", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return nspawn.Supervise(args[0], machineLog(cmd)) },
	}
}

func machineBoot() *cobra.Command {
	return &cobra.Command{
		Use: "boot NAME", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return nspawn.Boot(args[0]) },
	}
}

type machineAction func(ctx context.Context, name string, log *nspawn.Log) error

func withoutLog(do func(ctx context.Context, name string) error) machineAction {
	return func(ctx context.Context, name string, _ *nspawn.Log) error { return do(ctx, name) }
}

// machineSubcommand is a command that does the same to each machine named, or to all, and reports
// every failure.
func machineSubcommand(subcommand, short string, do machineAction) *cobra.Command {
	var all bool
	var prefix string
	cmd := &cobra.Command{Use: subcommand + " [NAME…]", Short: short}
	cmd.Flags().BoolVar(&all, "all", false, "every machine of this host")
	cmd.Flags().Duration("timeout", machineTimeout, "bound for each machine")
	cmd.Flags().StringVar(&prefix, "prefix", "", "with --all: only names that begin with this")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if all {
			found, err := nspawn.List()
			if err != nil {
				return err
			}
			for _, m := range found {
				// What is half made cannot be started; the next up makes it anew.
				if strings.HasPrefix(m.Name, prefix) && (subcommand != "start" || m.State != nspawn.Incomplete) {
					names = append(names, m.Name)
				}
			}
		} else if len(names) == 0 {
			return fmt.Errorf("which machine: expected names or --all (strata machine list shows them)")
		}
		return onEach(cmd, names, do)
	}
	return cmd
}

// onEach works on all machines at once and waits for all of them, whatever becomes of one.
func onEach(cmd *cobra.Command, names []string, do machineAction) error {
	errs := make([]error, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() {
			ctx, cancel := bounded(cmd)
			defer cancel()
			errs[i] = do(ctx, name, machineLog(cmd))
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func bounded(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	timeout, err := cmd.Flags().GetDuration("timeout")
	if err != nil {
		timeout = machineTimeout
	}
	return context.WithTimeout(cmd.Context(), timeout)
}

func machineLog(cmd *cobra.Command) *nspawn.Log {
	if cmd.Name() == "supervise" {
		return &nspawn.Log{W: os.Stdout}
	}
	return &nspawn.Log{W: cmd.ErrOrStderr()}
}
