package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"strata/actions/cluster/kubeconfig"
	"strata/internal/files/atomicfile"
	"strata/internal/pulumi/stackstate"
)

// kubeconfigFlags are the flags of `strata kubeconfig`.
type kubeconfigFlags struct {
	stack, project, output, context string
	merge, reader                   bool
}

// newKubeconfigCommand returns `strata kubeconfig`. It exits with 2 if it writes nothing, for
// example because kubectl's file has a context of this name for a different cluster.
func newKubeconfigCommand() *cobra.Command {
	var flags kubeconfigFlags
	command := &cobra.Command{
		Use:   "kubeconfig",
		Short: "Write a stack's kubeconfig to a file that only you read, or merge it into the one that kubectl uses",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := flags.read(cmd)
			if err != nil {
				return err
			}
			done := "Written: " + flags.output
			if flags.merge {
				done, err = mergeKubeconfig(config)
			} else {
				err = flags.write(config)
			}
			if err != nil {
				return &exitError{2, fmt.Errorf("kubeconfig: nothing was written: %w", err)}
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), done)
			return err
		},
	}
	ofStack(command, &flags.stack, &flags.project)
	command.Flags().StringVarP(&flags.output, "output", "o", "",
		"the file to write, with mode 0600 (default .strata/kubeconfig-STACK in the project)")
	command.Flags().BoolVar(&flags.merge, "merge", false,
		"add it to $KUBECONFIG or ~/.kube/config instead, and make it the current context")
	command.Flags().StringVar(&flags.context, "context", "",
		"the name of its context (default the stack's)")
	command.Flags().BoolVar(&flags.reader, "reader", false,
		"the one that can only read, for monitoring")
	command.MarkFlagsMutuallyExclusive("output", "merge")
	return command
}

// read reads the kubeconfig from the stack's outputs, and renames its context to --context or the
// stack's name.
func (f *kubeconfigFlags) read(cmd *cobra.Command) (*clientcmdapi.Config, error) {
	f.output = cmp.Or(f.output, filepath.Join(f.project, ".strata", "kubeconfig-"+f.stack))
	output := "kubeconfig"
	if f.reader {
		output = "readerKubeconfig"
	}
	text, err := stackstate.CommandLine(f.project)(cmd.Context(), nil, "stack", "output", output,
		"--stack", f.stack, "--show-secrets")
	if err != nil {
		return nil, err
	}
	config, err := kubeconfig.Rename(text, cmp.Or(f.context, f.stack))
	if err != nil {
		err = fmt.Errorf("output %s of stack %s: %w", output, f.stack, err)
	}
	return config, err
}

func (f *kubeconfigFlags) write(config *clientcmdapi.Config) error {
	text, err := clientcmd.Write(*config)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.output), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(f.output, text, 0o600)
}

// mergeKubeconfig merges a kubeconfig into kubectl's, and returns the path of kubectl's file.
func mergeKubeconfig(config *clientcmdapi.Config) (string, error) {
	before, file, err := kubeconfig.Merge(config)
	return fmt.Sprintf("Merged into %s. The current context is %s; before it was %s", file,
		config.CurrentContext, cmp.Or(before, "none")), err
}
