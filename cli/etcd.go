package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"strata/actions/k3s/backup"
	"strata/config"
)

// newSnapshotCommand returns `strata snapshot`. The first server that answers writes a snapshot of
// etcd now, besides the scheduled ones. On request, the command copies the snapshot to this
// machine, because the files on a host are lost with the host.
func newSnapshotCommand() *cobra.Command {
	var stack, project, to string
	var list bool
	command := &cobra.Command{
		Use:   "snapshot",
		Short: "Take a snapshot of the cluster's etcd now",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
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
	command.Flags().StringVar(&to, "to", "",
		"folder to copy the snapshot to; it holds the cluster's Secrets, so keep it as one")
	command.Flags().BoolVar(&list, "list", false, "take none; list what every server has")
	command.MarkFlagsMutuallyExclusive("to", "list")
	return command
}

// restoreFlags are the flags of `strata restore`.
type restoreFlags struct {
	backup.Wanted
	stack, project, config string
	yes, newHosts          bool
}

// newRestoreCommand returns `strata restore`, which restores etcd from a snapshot. With --current,
// the command needs no snapshot: after a lost quorum, it resets etcd to the data of one server.
func newRestoreCommand() *cobra.Command {
	var flags restoreFlags
	command := &cobra.Command{
		Use:   "restore",
		Short: "Go back to a snapshot of the cluster's etcd: all servers stop, one is reset, the others join it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runRestore(cmd.Context(), cmd, flags)
		},
	}
	ofStack(command, &flags.stack, &flags.project)
	command.Flags().StringVar(&flags.Snapshot, "snapshot", "",
		"name of a snapshot that a server has (strata snapshot --list)")
	command.Flags().StringVar(&flags.File, "file", "", "a snapshot that is a file here")
	command.Flags().BoolVar(&flags.Current, "current", false,
		"no snapshot: the server of --from keeps its data and forgets the other members")
	command.Flags().StringVar(&flags.From, "from", "",
		"the server that is reset; default: the first that has the snapshot")
	command.Flags().StringSliceVar(&flags.Without, "without", nil,
		"nodes that are gone for good: they are not waited for, and servers lose their Node")
	command.Flags().BoolVar(&flags.yes, "yes", false,
		"do it; without it, say only what would be done")
	command.Flags().BoolVar(&flags.newHosts, "new-hosts", false,
		"every host is lost: give the data of --file to the first server of the stack file")
	ofFile(command, &flags.config)
	command.MarkFlagsMutuallyExclusive("snapshot", "file", "current")
	for _, other := range []string{"snapshot", "current", "from", "without"} {
		command.MarkFlagsMutuallyExclusive("new-hosts", other)
	}
	command.MarkFlagsOneRequired("snapshot", "file", "current")
	return command
}

// restoreToNewHosts copies a snapshot to the first host, which the next update restores.
func restoreToNewHosts(ctx context.Context, cmd *cobra.Command, flags restoreFlags) error {
	cfg, err := config.OfStack(flags.project, flags.stack,
		stackFile(flags.config, flags.project, flags.stack))
	if err != nil {
		return &exitError{2, err}
	}
	hosts, err := backup.ForNewHosts(ctx, flags.project, flags.stack, flags.File, cfg)
	if err != nil {
		return &exitError{2, err}
	}
	printWarnings(cmd, hosts.Warnings)
	if !flags.yes {
		return hosts.Describe(cmd.OutOrStdout())
	}
	if err := hosts.Run(ctx, cmd.ErrOrStderr()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(),
		"now: pulumi up -s %s, which restores the data there and lets every other host join\n",
		flags.stack)
	return err
}

func runRestore(ctx context.Context, cmd *cobra.Command, flags restoreFlags) error {
	if flags.newHosts {
		return restoreToNewHosts(ctx, cmd, flags)
	}
	cluster, err := backup.ClusterOf(ctx, flags.project, flags.stack)
	if err != nil {
		return err
	}
	plan, err := cluster.Plan(flags.Wanted)
	if err != nil {
		return &exitError{2, err}
	}
	if err := plan.Find(ctx, cmd.ErrOrStderr()); err != nil {
		return err
	}
	if !flags.yes {
		return plan.Describe(cmd.OutOrStdout())
	}
	times, err := plan.Run(ctx, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(),
		"recovered: the API after %s, every node after %s\nnow: pulumi up --refresh -s %s, so "+
			"that what came after the snapshot is made again\n",
		times.API.Round(100*time.Millisecond), times.All.Round(100*time.Millisecond), flags.stack)
	return err
}
