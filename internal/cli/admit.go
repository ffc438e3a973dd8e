package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"strata/internal/apiserver"
	"strata/internal/k3s/members"
)

// newAdmitCommand is `strata admit`: before a host without K3s joins, what another host of its name left in the cluster is removed.
// It prints the host's key: another key is another host.
func newAdmitCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "admit",
		Short:  "Free a node's name of the host that had it before (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("admit", func(ctx context.Context, cmd *cobra.Command, question members.Admission) error {
			if err := admit(ctx, question, cmd.ErrOrStderr()); err != nil {
				return fmt.Errorf("layer k3s: admit %s: %w", question.Node.Name, err)
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), question.Node.HostKey)
			return err
		}),
	}
}

func admit(ctx context.Context, question members.Admission, log io.Writer) error {
	key := []byte(os.Getenv("STRATA_SSH_KEY"))
	fresh, err := members.Fresh(ctx, question.Node, key)
	if err != nil || !fresh {
		return err
	}
	question.Again = os.Getenv("PULUMI_COMMAND_STDOUT") != ""
	text, err := question.Kubeconfig(ctx, key)
	if err != nil || text == nil {
		return err // without either there is no cluster yet
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(text)
	if err != nil {
		return fmt.Errorf("kubeconfig of a server: %w", err)
	}
	client, err := kubernetes.NewForConfig(apiserver.Failover(config, members.Addresses(question.Servers)))
	if err != nil {
		return err
	}
	remover := &members.Remover{Client: client, Servers: question.Servers, SSHKey: key, Log: log}
	return remover.Clear(ctx, question.Node)
}
