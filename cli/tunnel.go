package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"strata/actions/hosts/reach"
	"strata/config"
	"strata/health"
	"strata/internal/ssh/tunnel"
)

// newTunnelCommand returns `strata tunnel`. It opens a tunnel to a stack's API and load balancer
// addresses behind a jump host, and keeps it open until an interrupt.
func newTunnelCommand() *cobra.Command {
	var stack, project, file string
	command := &cobra.Command{
		Use:   "tunnel",
		Short: "Open the way to what only a stack's jump host reaches, until interrupted",
		Long: "Meanwhile kubectl and pulumi refresh work with the stack's kubeconfig, which " +
			"names the tunnel as its proxy, and a browser or curl reach\n" +
			"the load balancer's addresses through it. Every pulumi up opens it by itself.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.OfStack(project, stack, stackFile(file, project, stack))
			if err != nil {
				return err
			}
			spec, key, err := reach.Tunnel(cfg.Hosts, project)
			if err != nil {
				return fmt.Errorf("tunnel: %w", err)
			}
			if !spec.There() {
				return &exitError{2, errors.New(
					"tunnel: strata:hosts.ssh.dynamicForward is not set: what is there is reached directly")}
			}
			return holdTunnel(cmd, spec, key)
		},
	}
	ofStack(command, &stack, &project)
	ofFile(command, &file)
	return command
}

// holdTunnel keeps the tunnel open, and prints how to use it.
func holdTunnel(cmd *cobra.Command, spec tunnel.Spec, key []byte) error {
	// tunnel.Keep retries after each failure, so a failure is only printed.
	warn := func(trouble string) { _, _ = fmt.Fprintln(cmd.ErrOrStderr(), "strata: "+trouble) }
	if err := tunnel.Keep(cmd.Context(), spec, key, warn); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(),
		"open at %s until interrupted: kubectl with the stack's kubeconfig; curl --proxy "+
			"socks5h://%s; or SOCKS 5 in a browser\n",
		spec.Address(), spec.Address())
	<-cmd.Context().Done()
	return err
}

// newTunnelServeCommand returns the command that serves a tunnel in a process of its own. It exits
// when the tunnel was idle for tunnel.Idle.
func newTunnelServeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   tunnel.Command,
		Short: "Serve a tunnel (run by the program itself)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var spec tunnel.Spec
			if err := json.NewDecoder(cmd.InOrStdin()).Decode(&spec); err != nil {
				return &exitError{2, fmt.Errorf("%s: stdin: %w", tunnel.Command, err)}
			}
			return tunnel.Main(cmd.Context(), spec, health.SecretsFrom(os.Getenv).SSHKey,
				cmd.OutOrStdout())
		},
	}
}
