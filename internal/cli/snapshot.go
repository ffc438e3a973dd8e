package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"strata/internal/k3s/backup"
)

// snapshotTimeout bounds a snapshot and its copy: a gigabyte over a slow line.
const snapshotTimeout = 10 * time.Minute

// newSnapshotCommand is `strata snapshot`: it has the first server that answers write a snapshot of etcd now, beside the scheduled
// ones, and copies it here if asked: what is on the host is lost with the host.
func newSnapshotCommand() *cobra.Command {
	var stack, project, to string
	var list bool
	command := &cobra.Command{
		Use:   "snapshot",
		Short: "Take a snapshot of the cluster's etcd now",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), snapshotTimeout)
			defer cancel()
			cluster, err := backup.ClusterOf(ctx, project, stack)
			if err != nil {
				return err
			}
			if list {
				return cluster.List(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			return cluster.Save(ctx, to, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	ofStack(command, &stack, &project)
	command.Flags().StringVar(&to, "to", "", "folder to copy the snapshot to; it holds the cluster's Secrets, so keep it as one")
	command.Flags().BoolVar(&list, "list", false, "take none; list what every server has")
	command.MarkFlagsMutuallyExclusive("to", "list")
	return command
}
