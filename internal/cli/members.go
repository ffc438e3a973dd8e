package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"

	"strata/internal/apiserver"
	"strata/internal/k3s/members"
)

// newMembersCommand is `strata members`: it reads the wanted set on stdin and the previous one, which pulumi-command hands to
// an update, from PULUMI_COMMAND_STDOUT; refuses an address whose node has another name; removes what left; and prints the wanted set for the next run.
func newMembersCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "members",
		Short:  "Take leaving nodes out of the cluster (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := io.ReadAll(cmd.InOrStdin())
			if err != nil {
				return err
			}
			wanted, err := members.Parse(string(text))
			if err != nil {
				return &exitError{2, err}
			}
			previous, err := members.Parse(os.Getenv("PULUMI_COMMAND_STDOUT"))
			if err != nil {
				return &exitError{2, fmt.Errorf("previous output: %w", err)}
			}
			if err := members.Moved(previous, wanted); err != nil {
				return err
			}
			if err := removeLeft(cmd.Context(), previous, wanted, cmd.ErrOrStderr()); err != nil {
				return err
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(wanted)
		},
	}
}

// removeLeft removes what left, one node after the other.
func removeLeft(ctx context.Context, previous, wanted members.Set, log io.Writer) error {
	left := members.Left(previous, wanted)
	if len(left) == 0 {
		return nil
	}
	ctx, cancel, err := within(ctx, "member set", wanted.Timeout)
	if err != nil {
		return err
	}
	defer cancel()
	config, err := restConfig()
	if err != nil {
		return &exitError{2, err}
	}
	// The server of the kubeconfig may be the one that is gone.
	client, err := kubernetes.NewForConfig(apiserver.Failover(config, members.Addresses(wanted.Servers())))
	if err != nil {
		return err
	}
	remover := &members.Remover{Client: client, Servers: wanted.Servers(), SSHKey: []byte(os.Getenv("STRATA_SSH_KEY")), Log: log}
	if left, err = remover.DeadFirst(ctx, left); err != nil {
		return err
	}
	if err := remover.KeepsVolumes(ctx, left, wanted.DiscardVolumesOf); err != nil {
		return err
	}
	for _, member := range left {
		if err := remover.Remove(ctx, member); err != nil {
			return fmt.Errorf("remove %s: %w", member.Name, err)
		}
	}
	return nil
}
