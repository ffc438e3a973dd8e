package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"strata/health"
	"strata/internal/k3shost"
	"strata/internal/ssh/remote"
)

// newKeygenCommand is `strata keygen`: a new ed25519 private key in OpenSSH's PEM on stdout. The
// resource that runs it marks its output secret.
func newKeygenCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "keygen",
		Short:  "Print a new SSH private key (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			key, err := remote.NewKey()
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(key)
			return err
		},
	}
}

// newHostKeyCommand is `strata hostkey`: the bounded first contact with a host. It prints the
// host's public key in authorized_keys form, to be pinned, and logs in nowhere.
func newHostKeyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hostkey",
		Short: `Print a host's public key: {"address","port","timeout"} on stdin, and "jump" or "proxyCommand" where these lead to it`,
		Args:  cobra.NoArgs,
		RunE: fromStdin("hostkey", func(ctx context.Context, cmd *cobra.Command, input remote.ScanInput) error {
			if input.Address == "" {
				return &exitError{2, errors.New("hostkey: an address is required")}
			}
			// The key is for the jump hosts; the host itself is not logged in to.
			key, err := remote.Dialer{PrivateKey: health.SecretsFrom(os.Getenv).SSHKey}.Scan(ctx, input.Target())
			if errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("%w; check strata:hosts.nodes[].address and that the host is on, or raise strata:timeouts.host (now %s)",
					err, input.Timeout.Duration)
			}
			if err == nil && input.SendsPassword {
				err = &remote.UnpinnedError{Target: input.Target(), Key: key}
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), key)
			return err
		}),
	}
}

// newPushCommand is `strata push`: it copies a file to a host unless it is there, verifies it at
// the other end, and prints its sum. The private key comes in STRATA_SSH_KEY.
func newPushCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "push",
		Short:  "Copy an artifact to a host (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdinUnbounded("push", func(ctx context.Context, cmd *cobra.Command, push k3shost.Push) error {
			mode, err := push.Permissions()
			if err != nil {
				return &exitError{2, err}
			}
			if push.Timeout.Duration <= 0 {
				return &exitError{2, errors.New("push: a positive timeout is required")}
			}
			say := func(progress string) { _, _ = fmt.Fprintln(cmd.ErrOrStderr(), progress) }
			sent, err := push.Send(ctx, mode, health.SecretsFrom(os.Getenv).SSHKey, say)
			if err != nil {
				return err
			}
			if !sent {
				_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "%s has %s already\n", push.Target.Name, push.Dest)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), push.SHA256)
			return err
		}),
	}
}
