package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"strata/actions/cluster/kubeconfig"
	"strata/actions/machines/machineset"
	"strata/actions/stack/recovery"
	"strata/actions/stack/teardown"
	"strata/health"
	"strata/health/kinds"
	"strata/internal/nspawn"
	"strata/internal/ssh/tunnel"
)

// newMachineGuardCommand is `strata machine-guard`: it reads the wanted machines on stdin and the
// previous ones from its previous output; refuses what would lose a machine without consent, or the
// cluster; and prints the wanted machines for the next run.
func newMachineGuardCommand() *cobra.Command {
	var ended bool
	command := &cobra.Command{
		Use:    "machine-guard",
		Short:  "Refuse what would make machines anew without consent (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("machine-guard", func(ctx context.Context, cmd *cobra.Command, wanted machineset.Set) error {
			if ended {
				return nspawn.Forget(ctx, wanted.Here())
			}
			before, err := previous[machineset.Set]("machine-guard")
			if err != nil {
				return err
			}
			plan, err := machineset.Judge(before, wanted)
			if err == nil {
				err = plan.Ask(ctx)
			}
			if err != nil {
				return fmt.Errorf("layer hosts: nothing was changed:\n%w", err)
			}
			for _, anew := range plan.Anew {
				_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "machine %s is made anew (recreate: %s)\n", anew.Name, anew.Recreate)
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(machineset.Remember(before, wanted))
		}),
	}
	command.Flags().BoolVar(&ended, "ended", false, "the machines are gone and so is their stack: forget that they left")
	return command
}

// newDiscardGuardCommand is `strata discard-guard`: it reads a teardown.Guard on stdin and the
// objects of the run before from its previous output; refuses a run that loses what others keep;
// and prints the objects for the next run. The kubeconfig comes in STRATA_KUBECONFIG.
//
// With --first it also refuses what arrives: a namespace that is still being deleted, and an Argo CD
// that would go on with the deletion of Applications.
func newDiscardGuardCommand() *cobra.Command {
	var first bool
	command := &cobra.Command{
		Use:    "discard-guard",
		Short:  "Refuse to delete what others keep in the cluster (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("discard-guard", func(ctx context.Context, cmd *cobra.Command, guard teardown.Guard) error {
			before, err := previous[teardown.Objects]("discard-guard")
			if err != nil {
				return err
			}
			if err := guard.Losses(ctx, opening(ctx, guard), before); err != nil {
				return fmt.Errorf("discard-guard: %w", err)
			}
			if first {
				if err := admitArrivals(ctx, cmd, guard, before); err != nil {
					return fmt.Errorf("discard-guard: %w", err)
				}
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(guard.Objects)
		}),
	}
	command.Flags().BoolVar(&first, "first", false, "ask as well what arrives, before any layer changes")
	return command
}

// admitArrivals refuses what must not arrive yet. A namespace that is being deleted gets some time
// to end.
func admitArrivals(ctx context.Context, cmd *cobra.Command, guard teardown.Guard, before teardown.Objects) error {
	ending, err := guard.Arrivals(ctx, opening(ctx, guard), before)
	if err != nil {
		return err
	}
	secrets := health.SecretsFrom(os.Getenv)
	for _, name := range ending {
		result, err := kinds.Run(ctx, guard.Ending(name), secrets, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		if !result.Passes() {
			return fmt.Errorf("refused, nothing was changed: namespace %s is still being deleted, and the stack would lose what it puts there; "+
				"end it as said above, then run pulumi up again", name)
		}
	}
	return nil
}

// newClusterIdentityCommand is `strata cluster-identity`: it reads a kubeconfig.Recognition on
// stdin and where the cluster was from its previous output; refuses another cluster; and prints
// where it is now. The kubeconfig comes in STRATA_KUBECONFIG.
func newClusterIdentityCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "cluster-identity",
		Short:  "Refuse another cluster than that of the run before (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("cluster-identity", func(ctx context.Context, cmd *cobra.Command, asked kubeconfig.Recognition) error {
			before, err := previous[kubeconfig.Place]("cluster-identity")
			if err != nil {
				return err
			}
			config, err := restConfig()
			if err != nil {
				return err
			}
			client, err := kubernetes.NewForConfig(config)
			if err != nil {
				return err
			}
			place, err := asked.Recognise(ctx, client, before)
			if err != nil {
				return fmt.Errorf("layer cluster: %w", err)
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(place)
		}),
	}
}

// newTeardownCommand is `strata teardown`: the delete of the guard, which is the first of a
// destroy. It fails where the cluster is protected, and says what will be lost. It stands in
// states, so it must go on working as it is. The kubeconfig comes in STRATA_KUBECONFIG.
func newTeardownCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "teardown",
		Short:  "Refuse to destroy a protected cluster, and say what will be lost (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("teardown", func(ctx context.Context, cmd *cobra.Command, guard teardown.Guard) error {
			if err := recovery.NoteParent("."); err != nil {
				cmd.PrintErrln("teardown:", err)
			}
			if guard.Existing {
				return guard.BeforeExisting(ctx, opening(ctx, guard), clusterGone())
			}
			guard.Timeout.Duration = min(guard.Timeout.Duration, teardownLimit)
			ctx, cancel := context.WithTimeout(ctx, guard.Timeout.Duration)
			defer cancel()
			lease, err := tunnel.Open(ctx, guard.Tunnel, health.SecretsFrom(os.Getenv).SSHKey)
			if err != nil {
				return guard.Before(ctx, nil, err, cmd.ErrOrStderr())
			}
			defer lease.Close()
			client, err := anyServer(guard.Servers)
			if err != nil {
				client = nil
			}
			return guard.Before(ctx, client, err, cmd.ErrOrStderr())
		}),
	}
}

// teardownLimit bounds what is read of a cluster of ours before its destroy: an election takes
// seconds, and one that is dead holds up no longer.
const teardownLimit = 15 * time.Second

// clusterGone reports whether the user has told Pulumi that the cluster is not there any more.
func clusterGone() bool { return os.Getenv("PULUMI_K8S_DELETE_UNREACHABLE") == "true" }

// opening returns what connects to a guard's cluster, until ctx ends.
func opening(ctx context.Context, guard teardown.Guard) func() (teardown.Cluster, error) {
	return func() (cluster teardown.Cluster, err error) {
		lease, err := tunnel.Open(ctx, guard.Tunnel, health.SecretsFrom(os.Getenv).SSHKey)
		if err != nil {
			return cluster, err
		}
		context.AfterFunc(ctx, lease.Close)
		connect := func() (*rest.Config, error) { return serversConfig(guard.Servers) }
		if guard.Existing {
			connect = restConfig // its address may have a path
		}
		config, err := connect()
		if err != nil {
			return cluster, err
		}
		if cluster.Objects, err = dynamic.NewForConfig(config); err != nil {
			return cluster, err
		}
		cluster.Kinds, err = discovery.NewDiscoveryClientForConfig(config)
		return cluster, err
	}
}
