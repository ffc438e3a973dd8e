package cli

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"strata/internal/kuberead"
)

// newReadCommand is `strata read`: it prints one field of one object, which a gate before it has found to be there.
func newReadCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "read",
		Short:  "Print one field of an object in the cluster (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("read", func(ctx context.Context, cmd *cobra.Command, input kuberead.FieldInput) error {
			client, err := dynamicClient("read")
			if err != nil {
				return err
			}
			field, err := input.Field()
			if err != nil {
				return &exitError{2, err}
			}
			text, err := field.Read(ctx, client)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		}),
	}
}

// newNodesCommand is `strata nodes`: it prints the registered Nodes of an existing cluster as JSON.
func newNodesCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "nodes",
		Short:  "Print the cluster's Nodes with role and address (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("nodes", func(ctx context.Context, cmd *cobra.Command, _ kuberead.NodesInput) error {
			client, err := dynamicClient("nodes")
			if err != nil {
				return err
			}
			nodes, err := kuberead.Nodes(ctx, client)
			if err != nil {
				return err
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(nodes)
		}),
	}
}
