package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"strata/config"
	"strata/health"
	"strata/internal/k3snode"
	"strata/internal/remote"
)

// hostLimit bounds what is done on one host.
const hostLimit = 30 * time.Second

// hostFlags are the flags of `strata host`.
type hostFlags struct {
	stack, project, file string
	yes                  bool
}

// newHostCommand is `strata host`: whose existing hosts are, where that has to be decided by hand (docs/host-ownership.md).
func newHostCommand() *cobra.Command {
	command := &cobra.Command{Use: "host", Short: "Release hosts of driver existing from their stack, or adopt them"}
	command.AddCommand(
		hostVerb("release", "Take the mark of ownership off hosts, whosever it is; K3s on them stays", false),
		hostVerb("adopt", "Mark hosts as this stack's in place of another's; a K3s must have this stack's token", true),
	)
	return command
}

// hostVerb does something with the marks of the hosts whose nodes are its arguments. known says that the stack's state must know its
// cluster; a release needs no state.
func hostVerb(verb, short string, known bool) *cobra.Command {
	var flags hostFlags
	command := &cobra.Command{
		Use: verb + " NODE...", Short: short, Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, nodes []string) error {
			hosts, err := namedHosts(flags, nodes)
			if err != nil {
				return &exitError{2, err}
			}
			owner, err := ownerOf(cmd.Context(), flags.project, flags.stack)
			if err != nil && known {
				return fmt.Errorf("host %s: %w", verb, err)
			}
			var failures []error
			for _, host := range hosts {
				said, err := byHand(cmd.Context(), host, k3snode.ByHand(verb, *owner.At(host.Host.Name), flags.yes))
				if err != nil {
					failures = append(failures, fmt.Errorf("host %s %s: %w", verb, host.Host.Name, err))
					continue
				}
				_, _ = fmt.Fprintf(cmd.OutOrStdout(), "%s (%s): %s\n", host.Host.Name, host.Host.Address, wasWhose(said, verb, flags.yes))
			}
			return errors.Join(failures...)
		},
	}
	ofStack(command, &flags.stack, &flags.project)
	ofFile(command, &flags.file)
	command.Flags().BoolVar(&flags.yes, "yes", false, "do it; without it, say only whose the hosts are")
	return command
}

// namedHosts are the hosts of nodes of the configuration.
func namedHosts(flags hostFlags, nodes []string) ([]health.PreflightHost, error) {
	if flags.file == "" {
		flags.file = filepath.Join(flags.project, "Pulumi."+flags.stack+".yaml")
	}
	cfg, err := config.FromFile(flags.file)
	if err != nil {
		return nil, err
	}
	if cfg.Lent() || cfg.Hosts.Driver != config.DriverExisting {
		return nil, fmt.Errorf("stack %s: only hosts of driver existing change hands; those that Strata makes are its own", flags.stack)
	}
	all, err := preflightHosts(cfg, flags.project)
	if err != nil {
		return nil, err
	}
	var hosts []health.PreflightHost
	for _, node := range nodes {
		i := slices.IndexFunc(all, func(host health.PreflightHost) bool { return host.Host.Name == node })
		if i < 0 {
			return nil, fmt.Errorf("no node is called %s in strata:hosts.nodes of %s", node, flags.file)
		}
		hosts = append(hosts, all[i])
	}
	return hosts, nil
}

// byHand runs a script on a host. Without a pin it makes the first contact, as a preflight does.
func byHand(ctx context.Context, host health.PreflightHost, script string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, hostLimit)
	defer cancel()
	target := host.Host.Target
	if target.HostKey == "" {
		key, err := remote.Scan(ctx, target.Address, target.Port)
		if err != nil {
			return "", err
		}
		target.HostKey = key
	}
	return k3snode.Run(ctx, target, host.Key, script)
}

// wasWhose words whose a host was, and what became of it.
func wasWhose(said, verb string, done bool) string {
	whose, rest, _ := strings.Cut(said, " ")
	is := map[string]string{
		"ours": "this cluster's", "free": "nobody's", "node": "this cluster's node " + rest,
		"other":    "somebody's (project, stack, node, cluster: " + rest + ")",
		"unmarked": "nobody's by a mark, but it has a K3s that this stack's state does not know",
	}[whose]
	after := map[string]string{"release": "the mark is gone; a K3s on it goes on", "adopt": "it is this stack's now"}[verb]
	if !done {
		after = "nothing was done; --yes does it"
	}
	return is + "; " + after
}
