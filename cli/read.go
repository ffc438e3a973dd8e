package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"strata/actions/cluster/kuberead"
)

// newReadCommand is `strata read`: it prints one field of one object, which a gate before it has
// found to be there.
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

// newServerTimeCommand returns `strata server-time`, which prints the time of the API server, or
// one ahead of it.
func newServerTimeCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "server-time",
		Short:  "Print the API server's time (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("server-time", func(ctx context.Context, cmd *cobra.Command, input kuberead.TimeInput) error {
			config, err := restConfig()
			if err != nil {
				return fmt.Errorf("server-time: %w", err)
			}
			now, err := kuberead.ServerTime(ctx, config)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), now.Add(input.Ahead.Duration).UTC().Format(time.RFC3339))
			return err
		}),
	}
}
