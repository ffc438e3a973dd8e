package main

import (
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"strata/tests/lab/internal/fault"
	"strata/tests/lab/internal/layout"
)

// newFault returns the verb that breaks machines on purpose.
func newFault(at layout.Layout) *cobra.Command {
	injector := fault.Injector{Out: os.Stderr}
	command := &cobra.Command{Use: "fault", Short: "Break lab machines on purpose, and mend them (root)"}
	// `make build` puts it there.
	program := filepath.Join(at.Local(), "bin", "strata")
	command.PersistentFlags().StringVar(&injector.Strata, "strata", program, "the strata binary")
	command.AddCommand(faultList(), faultInject(&injector), faultClear(&injector))
	return command
}

func faultList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "Show every kind of fault",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			table := tabwriter.NewWriter(command.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, kind := range fault.Kinds {
				_, _ = fmt.Fprintf(table, "%s\t%s\n", kind.Name, kind.About)
			}
			return table.Flush()
		},
	}
}

func faultInject(injector *fault.Injector) *cobra.Command {
	var span time.Duration
	command := &cobra.Command{
		Use:   "inject KIND MACHINE…",
		Short: "Break machines, until `fault clear` or for a time",
		Args:  cobra.MinimumNArgs(2),
		RunE: func(command *cobra.Command, args []string) error {
			kind, err := fault.Find(args[0])
			if err != nil {
				return err
			}
			if span > 0 {
				return injector.During(command.Context(), kind, args[1:], span)
			}
			return injector.Inject(command.Context(), kind, args[1:])
		},
	}
	command.Flags().DurationVar(&span, "for", 0, "mend after this time (default: do not)")
	return command
}

func faultClear(injector *fault.Injector) *cobra.Command {
	return &cobra.Command{
		Use:   "clear KIND MACHINE…",
		Short: "Mend machines; those without the fault stay as they are",
		Args:  cobra.MinimumNArgs(2),
		RunE: func(command *cobra.Command, args []string) error {
			kind, err := fault.Find(args[0])
			if err != nil {
				return err
			}
			return injector.Clear(command.Context(), kind, args[1:])
		},
	}
}
