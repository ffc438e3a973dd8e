package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/client-go/dynamic"

	"strata/actions/cluster/crds"
	"strata/actions/cluster/gatewayclass"
)

// newCRDsCommand is `strata crds apply` and `strata crds remove`. The kubeconfig comes in
// STRATA_KUBECONFIG. Apply prints the names of the definitions, one a line, for the gate behind it;
// remove needs no file, which may be gone by then.
func newCRDsCommand() *cobra.Command {
	command := &cobra.Command{Use: "crds", Short: "Put a bundle of CRDs into the cluster (run by the program's own resources)", Hidden: true}
	subcommand := func(name, about string, run func(ctx context.Context, input crds.Input, client dynamic.Interface, cmd *cobra.Command) error) {
		runs := fromStdin("crds "+name, func(ctx context.Context, cmd *cobra.Command, input crds.Input) error {
			client, err := dynamicClient("crds")
			if err != nil {
				return err
			}
			return run(ctx, input, client, cmd)
		})
		command.AddCommand(&cobra.Command{Use: name, Short: about, Args: cobra.NoArgs, RunE: runs})
	}
	subcommand("apply", "Apply the bundle", applyCRDs)
	subcommand("remove", "Remove the bundle", func(ctx context.Context, input crds.Input, client dynamic.Interface, cmd *cobra.Command) error {
		return crds.Remove(ctx, client, input.Name, cmd.ErrOrStderr())
	})
	return command
}

func applyCRDs(ctx context.Context, input crds.Input, client dynamic.Interface, cmd *cobra.Command) error {
	bundle, err := input.Bundle()
	if err != nil {
		return err
	}
	if err := bundle.Apply(ctx, client, cmd.ErrOrStderr()); err != nil {
		return err
	}
	_, err = io.WriteString(cmd.OutOrStdout(), strings.Join(bundle.Names(), "\n")+"\n")
	return err
}

// newClassCommand is `strata class release`. The kubeconfig comes in STRATA_KUBECONFIG.
func newClassCommand() *cobra.Command {
	command := &cobra.Command{Use: "class", Short: "Take a GatewayClass away (run by the program's own resources)", Hidden: true}
	command.AddCommand(&cobra.Command{
		Use: "release", Short: "Delete the class, and its finalizer where no controller runs any more", Args: cobra.NoArgs,
		RunE: fromStdin("class release", func(ctx context.Context, cmd *cobra.Command, input gatewayclass.Input) error {
			client, err := dynamicClient("class release")
			if err != nil {
				return err
			}
			return gatewayclass.Release(ctx, client, input.Class, input.Finalizer, gatewayclass.Patience, cmd.ErrOrStderr())
		}),
	})
	return command
}
