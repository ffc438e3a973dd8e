package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"strata/actions/k3s/credential"
	"strata/actions/k3s/members"
	"strata/actions/k3s/token"
	"strata/actions/k3s/upgrade"
	"strata/health"
)

// newAdmitCommand is `strata admit`: before a host without K3s joins, what another host of its name
// left in the cluster is removed. It prints the host's key: another key is another host.
func newAdmitCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "admit",
		Short:  "Free a node's name of the host that had it before (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("admit", func(ctx context.Context, cmd *cobra.Command, input members.Admission) error {
			input.Past = readPast
			if err := input.Admit(ctx, health.SecretsFrom(os.Getenv).SSHKey, cmd.ErrOrStderr()); err != nil {
				return fmt.Errorf("layer k3s: admit %s: %w", input.Node.Name, err)
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), input.Node.HostKey)
			return err
		}),
	}
}

// newRotateTokenCommand is `strata rotate-token`: it gives the servers the wanted token, and prints
// its generation.
func newRotateTokenCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "rotate-token",
		Short:  "Give the servers another token (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("rotate-token", func(ctx context.Context, cmd *cobra.Command, rotation token.Rotation) error {
			before, err := previous[token.Output]("rotate-token")
			if err != nil {
				return err
			}
			hosts := token.SSH{Key: health.SecretsFrom(os.Getenv).SSHKey}
			if err := rotation.Run(ctx, hosts, before.Generation, cmd.ErrOrStderr()); err != nil {
				return fmt.Errorf("layer k3s: %w", err)
			}
			return writeOutput(cmd.OutOrStdout(), token.Output{Generation: rotation.Generation})
		}),
	}
}

// newMembersCommand is `strata members`: it reads the wanted set on stdin and the previous one from
// its previous output; refuses an address whose node has another name; removes what left; sets
// labels and taints; and prints what the next run needs of the wanted set.
func newMembersCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "members",
		Short:  "Take leaving nodes out of the cluster, and set the labels and taints of the others (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("members", func(ctx context.Context, cmd *cobra.Command, wanted members.Set) error {
			before, err := previous[members.Set]("members")
			if err != nil {
				return err
			}
			if err := members.Moved(before, wanted); err != nil {
				return err
			}
			config, err := restConfig()
			if err != nil {
				return &exitError{2, err}
			}
			if left := members.Left(before, wanted); len(left) > 0 {
				remover := &members.Remover{
					Servers: wanted.Servers(), SSHKey: health.SecretsFrom(os.Getenv).SSHKey, Owner: wanted.Owner, Log: cmd.ErrOrStderr(),
				}
				if err := remover.Leave(ctx, config, left, wanted.DiscardVolumesOf); err != nil {
					return err
				}
			}
			if err := members.ApplySettings(ctx, config, before, wanted); err != nil {
				return err
			}
			return writeOutput(cmd.OutOrStdout(), wanted.Remembered())
		}),
	}
}

// newUpgradeCommand is `strata upgrade`: it reads the plan on stdin, upgrades the nodes that do not
// run its version yet, and prints the version.
func newUpgradeCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "upgrade",
		Short:  "Take a changed K3s to the nodes, one after the other (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("upgrade", func(ctx context.Context, cmd *cobra.Command, plan upgrade.Plan) error {
			client, err := anyServer(plan.Servers)
			if err != nil {
				return &exitError{2, fmt.Errorf("upgrade: %w", err)}
			}
			log := cmd.ErrOrStderr()
			rollout := upgrade.Rollout{Plan: plan, Client: client, Log: log, Hosts: &upgrade.SSH{
				SHA256: plan.SHA256, Owner: plan.Owner, Secrets: health.SecretsFrom(os.Getenv), Return: plan.Return.Duration, Log: log,
			}}
			if err := rollout.Run(ctx); err != nil {
				return fmt.Errorf("layer k3s: %w", err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), plan.Version)
			return err
		}),
	}
}

// newCredentialCommand is `strata credential`: it reads a credential.Request on stdin and what it
// printed the last time, which pulumi-command hands to an update, from PULUMI_COMMAND_STDOUT, and
// prints what the stack has from now on. That is secret.
func newCredentialCommand() *cobra.Command {
	return &cobra.Command{
		Use: "credential", Short: "Give the stack a client certificate of its own (run by the program's own resources)", Args: cobra.NoArgs, Hidden: true,
		RunE: fromStdin("credential", func(ctx context.Context, cmd *cobra.Command, request credential.Request) error {
			previous, err := credential.Parse(previousOutput())
			if err != nil {
				return &exitError{2, fmt.Errorf("credential: previous output: %w", err)}
			}
			hosts := &credential.SSH{Key: health.SecretsFrom(os.Getenv).SSHKey, Owner: request.Owner}
			issuer := credential.Issuer{Hosts: hosts, Now: time.Now, Log: cmd.ErrOrStderr()}
			issued, err := issuer.Issue(ctx, request, previous)
			if err != nil {
				return fmt.Errorf("layer k3s: certificate of the stack: %w", err)
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(issued)
		}),
	}
}
