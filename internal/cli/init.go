package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"strata/config"
	"strata/internal/scaffold"
)

// initTimeout bounds each observation: what exists already answers at once, and everything is asked at the same time.
const initTimeout = 20 * time.Second

// initFlags are the flags of `strata init`.
type initFlags struct {
	hosts          []string
	user, key, k3s string
	project, known string
	port           int
	timeout        time.Duration
}

// newInitCommand is `strata init`. It exits with 0 when the file is written, 1 when a host is not as it must be and 2 when the command is
// wrong or the file is there already.
func newInitCommand() *cobra.Command {
	var flags initFlags
	command := &cobra.Command{
		Use:   "init STACK --host [USER@]ADDRESS[:PORT] ...",
		Short: "Log in to hosts, read what is there, and write a stack file that proposes roles, networks and a free range",
		Long: "It changes nothing on a host, and writes Pulumi.STACK.yaml only where there is none and no host has a problem. A host key that known_hosts\n" +
			"does not have is pinned as it was seen, and said to be unverified: compare it before the first up.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := flags.request(args[0])
			if err == nil {
				err = request.Check()
			}
			if err != nil {
				return &exitError{2, fmt.Errorf("init: nothing was written:\n%w", err)}
			}
			result, err := request.Run(cmd.Context())
			if err != nil {
				return fmt.Errorf("init: nothing was written:\n%w", err)
			}
			return result.Write(cmd.OutOrStdout())
		},
	}
	command.Flags().StringSliceVar(&flags.hosts, "host", nil, "[USER@]ADDRESS[:PORT] of a host; once for each, or separated by commas")
	command.Flags().StringVar(&flags.user, "user", "root", "who logs in to hosts that name no user; anything but root needs sudo without a password")
	command.Flags().IntVar(&flags.port, "port", 22, "sshd's port on hosts that name none")
	command.Flags().StringVar(&flags.key, "key", "~/.ssh/id_ed25519", "the private key that logs in, without a passphrase")
	command.Flags().StringVar(&flags.k3s, "k3s-version", config.K3sVersion, "K3s's release (vX.Y.Z+k3sN); hosts with cgroup v1 run none after v1.34")
	command.Flags().StringVar(&flags.known, "known-hosts", "", "the file of known host keys (default ~/.ssh/known_hosts and /etc/ssh/ssh_known_hosts)")
	command.Flags().StringVar(&flags.project, "project", ".", "the project's folder")
	command.Flags().DurationVar(&flags.timeout, "timeout", initTimeout, "bound for each observation: hosts, addresses, preflight")
	return command
}

// request is what the flags ask for; the error joins every mistake in them.
func (f initFlags) request(stack string) (*scaffold.Request, error) {
	request := &scaffold.Request{Stack: stack, Project: f.project, Limit: f.timeout, K3s: f.k3s}
	var wrong []error
	for _, text := range f.hosts {
		host, err := scaffold.ParseHost(text, f.user, f.port)
		request.Hosts, wrong = append(request.Hosts, host), append(wrong, err)
	}
	var err error
	request.KeyFile, err = scaffold.KeyFile(f.project, f.key)
	wrong = append(wrong, err)
	own, err := config.ResolvePath(f.project, "~/.ssh/known_hosts")
	wrong = append(wrong, err)
	request.Known, err = scaffold.ReadKnownHosts(f.known, own, "/etc/ssh/ssh_known_hosts")
	return request, errors.Join(append(wrong, err)...)
}
