package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"strata/config"
	"strata/health"
	"strata/internal/credential"
	"strata/internal/digest"
	"strata/internal/k3s/restore"
)

// restoreTimeout bounds a whole restore.
const restoreTimeout = time.Hour

// restoreFlags are the flags of `strata restore`.
type restoreFlags struct {
	stack, project, snapshot, file, from string
	current, yes                         bool
	without                              []string
}

// newRestoreCommand is `strata restore`: back to a snapshot, or, with --current, out of a lost quorum with one server's own data.
func newRestoreCommand() *cobra.Command {
	var flags restoreFlags
	command := &cobra.Command{
		Use:   "restore",
		Short: "Go back to a snapshot of the cluster's etcd: all servers stop, one is reset, the others join it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), restoreTimeout)
			defer cancel()
			cluster, err := clusterOf(ctx, flags.project, flags.stack)
			if err != nil {
				return err
			}
			return runRestore(ctx, cmd, cluster, flags)
		},
	}
	ofStack(command, &flags.stack, &flags.project)
	command.Flags().StringVar(&flags.snapshot, "snapshot", "", "name of a snapshot that a server has (strata snapshot --list)")
	command.Flags().StringVar(&flags.file, "file", "", "a snapshot that is a file here")
	command.Flags().BoolVar(&flags.current, "current", false, "no snapshot: the server of --from keeps its data and forgets the other members")
	command.Flags().StringVar(&flags.from, "from", "", "the server that is reset; default: the first that has the snapshot")
	command.Flags().StringSliceVar(&flags.without, "without", nil, "nodes that are gone for good and must not be waited for")
	command.Flags().BoolVar(&flags.yes, "yes", false, "do it; without it, say only what would be done")
	command.MarkFlagsMutuallyExclusive("snapshot", "file", "current")
	command.MarkFlagsOneRequired("snapshot", "file", "current")
	return command
}

func runRestore(ctx context.Context, cmd *cobra.Command, cluster recordedCluster, flags restoreFlags) error {
	log := cmd.ErrOrStderr()
	hosts := cluster.hosts(log)
	servers, agents, err := stay(cluster, flags)
	if err != nil {
		return &exitError{2, err}
	}
	if servers, err = placed(ctx, hosts, servers, &flags); err != nil {
		return err
	}
	if !flags.yes {
		return describeRestore(cmd.OutOrStdout(), servers, agents, flags)
	}
	if err := cluster.authenticate(ctx, servers[0], time.Now(), log); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	back := restore.Restore{
		Hosts: cluster.hosts(log), Servers: servers, Agents: agents, Snapshot: flags.snapshot, User: credential.UserOf(cluster.secrets.Kubeconfig), Log: log,
	}
	times, err := back.Run(ctx)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "recovered: the API after %s, every node after %s\nnow: pulumi up --refresh -s %s, so that what came after the snapshot is made again\n",
		times.API.Round(100*time.Millisecond), times.All.Round(100*time.Millisecond), flags.stack)
	return err
}

// stay are the servers and agents that are left, the one of --from first.
func stay(cluster recordedCluster, flags restoreFlags) (servers, agents []health.Host, err error) {
	left, err := restore.Without(cluster.plan.Nodes, flags.without)
	if err != nil {
		return nil, nil, fmt.Errorf("--without: %w", err)
	}
	cluster.plan.Nodes = left
	servers, agents = cluster.plan.Of(config.RoleServer), cluster.plan.Of(config.RoleAgent)
	if flags.from != "" {
		if servers, err = restore.First(servers, flags.from); err != nil {
			return nil, nil, fmt.Errorf("--from: %w", err)
		}
	}
	if len(servers) == 0 {
		return nil, nil, fmt.Errorf("--without: no server is left")
	}
	return servers, agents, nil
}

// placed puts the server first that is reset, and its snapshot where K3s expects it.
func placed(ctx context.Context, hosts *restore.SSH, servers []health.Host, flags *restoreFlags) ([]health.Host, error) {
	switch {
	case flags.current:
		return servers, nil
	case flags.file == "":
		candidates := servers
		if flags.from != "" {
			candidates = servers[:1]
		}
		found, err := restore.Find(ctx, hosts, candidates, flags.snapshot)
		if err != nil || flags.from == "" {
			return found, err
		}
		return servers, nil
	}
	sum, err := digest.File(flags.file)
	if err != nil {
		return nil, err
	}
	flags.snapshot = filepath.Base(flags.file)
	if !flags.yes {
		return servers, nil
	}
	return servers, hosts.Push(ctx, servers[0], flags.file, flags.snapshot, sum)
}

// describeRestore says what a restore would do.
func describeRestore(out io.Writer, servers, agents []health.Host, flags restoreFlags) error {
	what := "with the data of " + flags.snapshot
	if flags.current {
		what = "with its own data"
	}
	_, err := fmt.Fprintf(out, "Nothing was done. With --yes:\n"+
		"  1. K3s stops on %s; Pods go on, the API is away\n"+
		"  2. %s becomes the only member, %s: what changed since then is gone\n"+
		"  3. the other servers join it, one after the other; their old data stay in /var/lib/rancher/k3s/server/db/etcd-before-restore\n"+
		"  4. K3s restarts on %s\n", namesOf(servers), servers[0].Name, what, namesOf(agents))
	return err
}

func namesOf(hosts []health.Host) string {
	if len(hosts) == 0 {
		return "no node"
	}
	names := make([]string, 0, len(hosts))
	for _, host := range hosts {
		names = append(names, host.Name)
	}
	return strings.Join(names, ", ")
}
