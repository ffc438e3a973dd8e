package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hashicorp/vault/api"
	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"strata/internal/vault"
)

// VaultInput is what `strata vault init` and `strata vault configure` read on stdin.
type VaultInput struct {
	// Server is where Vault runs.
	Server vault.Server `json:"server"`
	// Issuing is what it must be able to do; for configure only.
	Issuing *vault.Issuing `json:"issuing,omitempty"`
	// Revision makes the step run again when it changes; the verbs do not read it.
	Revision string          `json:"revision,omitempty"`
	Timeout  metav1.Duration `json:"timeout"`
}

// newVaultCommand is `strata vault`. The kubeconfig comes in STRATA_KUBECONFIG. Init prints Vault's keys, which become a secret
// of the state; configure takes them from STRATA_VAULT_KEYS and prints the root authority's certificate; unseal is for people.
func newVaultCommand() *cobra.Command {
	command := &cobra.Command{Use: "vault", Short: "Unseal the stack's Vault"}
	verb := func(name, about string, run func(context.Context, *vaultSession, VaultInput, *cobra.Command) error) {
		runs := fromStdin("vault "+name, func(ctx context.Context, cmd *cobra.Command, input VaultInput) error {
			session, err := openVault(ctx, input.Server, os.Getenv("STRATA_KUBECONFIG"), cmd.ErrOrStderr())
			if err != nil {
				return fmt.Errorf("vault: %w", err)
			}
			defer session.close()
			return run(ctx, session, input, cmd)
		})
		command.AddCommand(&cobra.Command{Use: name, Short: about, Args: cobra.NoArgs, Hidden: true, RunE: runs})
	}
	verb("init", "Initialise Vault (run by the program's own resources)", initVault)
	verb("configure", "Unseal and configure Vault (run by the program's own resources)", configureVault)
	command.AddCommand(newUnsealCommand())
	return command
}

// vaultSession is a connection to a Vault in the cluster.
type vaultSession struct {
	*api.Client
	handover vault.InSecret
	close    func()
}

func openVault(ctx context.Context, server vault.Server, kubeconfig string, progress io.Writer) (*vaultSession, error) {
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(kubeconfig))
	if err != nil {
		return nil, fmt.Errorf("kubeconfig: %w", err)
	}
	cluster, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	client, stop, err := vault.Dial(ctx, config, server, progress)
	if err != nil {
		return nil, err
	}
	return &vaultSession{Client: client, handover: vault.InSecret{Client: cluster, Namespace: server.Namespace}, close: stop}, nil
}

func initVault(ctx context.Context, session *vaultSession, input VaultInput, cmd *cobra.Command) error {
	var previous *vault.Keys
	if text := os.Getenv("PULUMI_COMMAND_STDOUT"); text != "" {
		keys, err := vault.ParseKeys(text)
		if err != nil {
			return &exitError{2, fmt.Errorf("previous output: %w", err)}
		}
		previous = &keys
	}
	keys, err := vault.Init(ctx, session.Client, session.handover, previous)
	if errors.Is(err, vault.ErrKeysLost) {
		return fmt.Errorf("%w: an earlier run was cut off, or another stack made it. It holds nothing that can be read again: "+
			"kubectl -n %s delete statefulset,pvc -l app.kubernetes.io/name=vault, then pulumi up", err, input.Server.Namespace)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(cmd.OutOrStdout()).Encode(keys)
}

func configureVault(ctx context.Context, session *vaultSession, input VaultInput, cmd *cobra.Command) error {
	if input.Issuing == nil {
		return &exitError{2, errors.New("vault configure: issuing is missing")}
	}
	keys, err := vault.ParseKeys(os.Getenv("STRATA_VAULT_KEYS"))
	if err != nil {
		return &exitError{2, fmt.Errorf("STRATA_VAULT_KEYS: %w", err)}
	}
	if err := vault.Unseal(ctx, session.Client, keys); err != nil {
		return err
	}
	session.SetToken(keys.RootToken)
	root, err := vault.Configure(ctx, session.Client, *input.Issuing)
	if err != nil {
		return err
	}
	// The state has the keys by now, or they could not have come here.
	if err := session.handover.Clear(ctx); err != nil {
		return fmt.Errorf("remove the Secret that held Vault's keys: %w", err)
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), root)
	return err
}
