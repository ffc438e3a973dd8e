package main

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"strata/tests/lab/internal/fleet"
	"strata/tests/lab/internal/layout"
)

// fleetVerbs returns the commands that create, prune and delete the machines of a stack's nodes.
// They do nothing if the stack's hosts are not lab machines.
func fleetVerbs(at layout.Layout) []*cobra.Command {
	return []*cobra.Command{
		fleetVerb(at, "up", "Make the machines of a stack's nodes that are not there, and start "+
			"those that are", (*fleet.Fleet).Up),
		fleetVerb(at, "prune", "Take the machines of nodes away that have left the stack's file", (*fleet.Fleet).Prune),
		fleetVerb(at, "down", "Take a stack's machines away with their bridge and keys, and "+
			"prove that none is left", (*fleet.Fleet).Down),
	}
}

func fleetVerb(at layout.Layout, verb, short string, do func(*fleet.Fleet, context.Context) error) *cobra.Command {
	var file string
	command := &cobra.Command{
		Use:   verb + " STACK",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			if file == "" {
				file = filepath.Join(at.Checkout, "Pulumi."+args[0]+".yaml")
			}
			its, isOurs, err := fleet.Read(at, args[0], file)
			if err != nil || !isOurs {
				return err
			}
			its.Log = logTo(command.ErrOrStderr())
			ctx, cancel := bounded(command)
			defer cancel()
			return do(its, ctx)
		},
	}
	command.Flags().StringVar(&file, "config-file", "", "the stack's file (default Pulumi.STACK.yaml in the checkout)")
	return command
}
