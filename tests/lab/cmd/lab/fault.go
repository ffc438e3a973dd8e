package main

import (
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"strata/tests/lab/internal/catalog"
	"strata/tests/lab/internal/fault"
	"strata/tests/lab/internal/layout"
)

// newFault returns the command `lab fault`, which injects and clears faults in lab machines.
func newFault(at layout.Layout) *cobra.Command {
	injector := fault.Injector{Lab: catalog.Binary(at), Out: os.Stderr}
	command := &cobra.Command{Use: "fault", Short: "Break lab machines on purpose, and mend them (root)"}
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
	return &cobra.Command{
		Use:   "inject KIND MACHINE…",
		Short: "Break machines, until `fault clear`",
		Args:  cobra.MinimumNArgs(2),
		RunE: func(command *cobra.Command, args []string) error {
			kind, err := fault.Find(args[0])
			if err != nil {
				return err
			}
			return injector.Inject(command.Context(), kind, args[1:])
		},
	}
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
