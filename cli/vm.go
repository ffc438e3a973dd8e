package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"strata/actions/machines/lifecycle"
	"strata/internal/hypervisor"
	"strata/internal/pulumi/self"
)

// newVMCommand is `strata vm`: the virtual machines of drivers libvirt and proxmox. Resources run
// it, with the machine's spec on stdin and keys in the environment: STRATA_HYPERVISOR_KEY,
// STRATA_HOST_KEY and STRATA_SSH_KEY, each in PEM.
func newVMCommand() *cobra.Command {
	command := &cobra.Command{
		Use:    "vm",
		Short:  "Make and remove virtual machines (run by the program's own resources)",
		Hidden: true,
	}
	image := &cobra.Command{Use: "image", Short: "Put the machines' disk image on the hypervisor, or remove it"}
	image.AddCommand(
		vmSubcommand("put", "Copy the image to the hypervisor, unless it is there", func(cmd *cobra.Command, spec hypervisor.Spec, secrets hypervisor.Secrets) error {
			return lifecycle.PutImage(cmd.Context(), spec, secrets)
		}),
		vmSubcommand("remove", "Remove the image from the hypervisor", func(cmd *cobra.Command, spec hypervisor.Spec, secrets hypervisor.Secrets) error {
			return lifecycle.RemoveImage(cmd.Context(), spec, secrets)
		}),
	)
	command.AddCommand(image,
		vmCreate(),
		vmLeaving(),
		vmSubcommand("delete", "Remove the machine with its disk and seed", func(cmd *cobra.Command, spec hypervisor.Spec, secrets hypervisor.Secrets) error {
			return lifecycle.Delete(cmd.Context(), spec, secrets, cmd.ErrOrStderr())
		}),
	)
	return command
}

func vmCreate() *cobra.Command {
	var existing bool
	command := vmSubcommand("create", "Make the machine, or make it what its spec says; prints name, id and mac as JSON",
		func(cmd *cobra.Command, spec hypervisor.Spec, secrets hypervisor.Secrets) error {
			if !existing {
				return printed(cmd)(lifecycle.Create(cmd.Context(), spec, secrets, cmd.ErrOrStderr()))
			}
			before, err := previous[hypervisor.Result]("vm create")
			if err != nil {
				return err
			}
			return printed(cmd)(lifecycle.Update(cmd.Context(), spec, before, secrets, cmd.ErrOrStderr()))
		})
	command.Flags().BoolVar(&existing, "existing", false, "fail where there is no such machine any more, or where it cannot be what its spec says")
	return command
}

// printed prints what became of a machine.
func printed(cmd *cobra.Command) func(hypervisor.Result, error) error {
	return func(result hypervisor.Result, err error) error {
		if err != nil {
			return err
		}
		return json.NewEncoder(cmd.OutOrStdout()).Encode(result)
	}
}

// vmSubcommand is a subcommand that does something with the machine whose spec is on stdin.
func vmSubcommand(
	subcommand, short string, do func(*cobra.Command, hypervisor.Spec, hypervisor.Secrets) error,
) *cobra.Command {
	return &cobra.Command{
		Use: subcommand, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			spec, err := hypervisor.ReadSpec(cmd.InOrStdin())
			if err != nil {
				return &exitError{2, err}
			}
			err = do(cmd, spec, hypervisor.Secrets{
				HypervisorKey: []byte(os.Getenv(self.HypervisorKey)),
				HostKey:       []byte(os.Getenv(self.HostKey)),
				SSHKey:        []byte(os.Getenv(self.SSHKey)),
			})
			return vmError(cmd.Context(), spec, err)
		},
	}
}

// vmError names the layer and the machine, and the key that sets the bound when that is what ended
// it.
func vmError(ctx context.Context, spec hypervisor.Spec, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return fmt.Errorf("layer hosts, vm %s: %w; bound: strata:timeouts.host is %s", spec.Name(), err, spec.Timeout.Duration)
	}
	return fmt.Errorf("layer hosts, vm %s: %w", spec.Name(), err)
}
