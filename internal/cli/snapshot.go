package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"strata/config"
)

// snapshotTimeout bounds a snapshot and its copy: a gigabyte over a slow line.
const snapshotTimeout = 10 * time.Minute

// snapshotFlags are the flags of `strata snapshot`.
type snapshotFlags struct {
	stack, project, to string
	list               bool
}

// newSnapshotCommand is `strata snapshot`: it has the first server that answers write a snapshot of etcd now, beside the scheduled
// ones, and copies it here if asked: what is on the host is lost with the host.
func newSnapshotCommand() *cobra.Command {
	var flags snapshotFlags
	command := &cobra.Command{
		Use:   "snapshot",
		Short: "Take a snapshot of the cluster's etcd now",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), snapshotTimeout)
			defer cancel()
			cluster, err := clusterOf(ctx, flags.project, flags.stack)
			if err != nil {
				return err
			}
			if flags.list {
				return listSnapshots(ctx, cmd, cluster)
			}
			return takeSnapshot(ctx, cmd, cluster, flags.to)
		},
	}
	ofStack(command, &flags.stack, &flags.project)
	command.Flags().StringVar(&flags.to, "to", "", "folder to copy the snapshot to; it holds the cluster's Secrets, so keep it as one")
	command.Flags().BoolVar(&flags.list, "list", false, "take none; list what every server has")
	command.MarkFlagsMutuallyExclusive("to", "list")
	return command
}

func takeSnapshot(ctx context.Context, cmd *cobra.Command, cluster recordedCluster, to string) error {
	hosts, servers := cluster.hosts(cmd.ErrOrStderr()), cluster.plan.Of(config.RoleServer)
	for _, server := range servers {
		said, err := hosts.Run(ctx, server, "save", nil)
		if err != nil {
			cmd.PrintErrf("snapshot on %s: %v\n", server.Name, err)
			continue
		}
		name, rest, _ := strings.Cut(said, " ")
		size, sum, _ := strings.Cut(rest, " ")
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s on %s: %s bytes, sha256 %s\n", name, server.Name, size, sum)
		if err != nil || to == "" {
			return err
		}
		local := filepath.Join(to, name)
		if err := hosts.Copy(ctx, server, name, local, sum); err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "copied to %s\n", local)
		return err
	}
	return fmt.Errorf("none of %d servers could take a snapshot (see above); if they lost their quorum: strata restore --current", len(servers))
}

func listSnapshots(ctx context.Context, cmd *cobra.Command, cluster recordedCluster) error {
	hosts := cluster.hosts(cmd.ErrOrStderr())
	table := newTable(cmd.OutOrStdout(), "SERVER", "SNAPSHOT", "BYTES", "WRITTEN")
	var failures []error
	for _, server := range cluster.plan.Of(config.RoleServer) {
		said, err := hosts.Run(ctx, server, "list", nil)
		if err != nil {
			failures = append(failures, fmt.Errorf("snapshots of %s: %w", server.Name, err))
			continue
		}
		for line := range strings.Lines(said) {
			if fields := strings.Fields(line); len(fields) == 3 {
				table.row(append([]string{server.Name}, fields...)...)
			}
		}
	}
	return errors.Join(append(failures, table.flush())...)
}
