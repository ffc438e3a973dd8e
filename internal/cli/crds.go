package cli

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"strata/internal/artifacts"
	"strata/internal/crds"
)

// CRDsInput is what `strata crds` reads on stdin.
type CRDsInput struct {
	// Name and Version identify the bundle.
	Name    string `json:"name"`
	Version string `json:"version"`
	// File is the bundle's YAML file, SHA256 what it must be.
	File    string          `json:"file"`
	SHA256  string          `json:"sha256"`
	Timeout metav1.Duration `json:"timeout"`
}

// newCRDsCommand is `strata crds apply` and `strata crds remove`. The kubeconfig comes in STRATA_KUBECONFIG. Apply prints the
// names of the definitions, one a line, for the gate behind it; remove needs no file, which may be gone by then.
func newCRDsCommand() *cobra.Command {
	command := &cobra.Command{Use: "crds", Short: "Put a bundle of resource definitions into the cluster (run by the program's own resources)", Hidden: true}
	verb := func(name, about string, run func(ctx context.Context, input CRDsInput, client dynamic.Interface, cmd *cobra.Command) error) {
		runs := fromStdin("crds "+name, func(ctx context.Context, cmd *cobra.Command, input CRDsInput) error {
			client, err := dynamicClient("crds")
			if err != nil {
				return err
			}
			return run(ctx, input, client, cmd)
		})
		command.AddCommand(&cobra.Command{Use: name, Short: about, Args: cobra.NoArgs, RunE: runs})
	}
	verb("apply", "Apply the bundle", applyCRDs)
	verb("remove", "Remove the bundle", func(ctx context.Context, input CRDsInput, client dynamic.Interface, cmd *cobra.Command) error {
		return crds.Remove(ctx, client, input.Name, cmd.ErrOrStderr())
	})
	return command
}

func applyCRDs(ctx context.Context, input CRDsInput, client dynamic.Interface, cmd *cobra.Command) error {
	if err := artifacts.Verify(input.File, input.SHA256); err != nil {
		return err
	}
	text, err := os.ReadFile(input.File)
	if err != nil {
		return err
	}
	bundle, err := crds.Parse(input.Name, input.Version, text)
	if err != nil {
		return err
	}
	if err := bundle.Apply(ctx, client, cmd.ErrOrStderr()); err != nil {
		return err
	}
	_, err = io.WriteString(cmd.OutOrStdout(), strings.Join(bundle.Names(), "\n")+"\n")
	return err
}
