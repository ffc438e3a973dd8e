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
	"strata/health/preflight"
	k3snode "strata/internal/k3s/node"
	"strata/internal/remote"
)

// hostLimit bounds what is done on one host.
const hostLimit = 30 * time.Second

// hostFlags are the flags of `strata host`.
type hostFlags struct {
	stack, project, file string
	yes                  bool
}

// newHostCommand is `strata host`: whose hosts and machines are, where that has to be decided by hand (docs/host-ownership.md).
func newHostCommand() *cobra.Command {
	command := &cobra.Command{Use: "host", Short: "Release hosts and machines from their stack, or adopt them"}
	command.AddCommand(
		hostVerb("release", "Take the mark of ownership off hosts and machines, whosever it is; K3s on them stays", false),
		hostVerb("adopt", "Mark hosts and machines as this stack's in place of another's; a K3s must have this stack's token", true),
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
			cfg, err := namedNodes(flags, nodes)
			if err != nil {
				return &exitError{2, err}
			}
			owner, err := ownerOf(cmd.Context(), flags.project, flags.stack)
			if err != nil && known {
				return fmt.Errorf("host %s: %w", verb, err)
			}
			var failures []error
			if cfg.Hosts.Driver != config.DriverExisting {
				for _, node := range cfg.Hosts.Nodes {
					was, err := madeByHand(cmd.Context(), cfg, flags, verb, node, owner)
					if err != nil {
						failures = append(failures, fmt.Errorf("host %s %s: %w", verb, node.Name, err))
						continue
					}
					_, _ = fmt.Fprintf(cmd.OutOrStdout(), "%s: the machine was of %s; %s\n", node.Name, was, nowWhose(verb, "the machine", flags.yes))
				}
				return errors.Join(failures...)
			}
			hosts, err := preflightHosts(cfg, flags.project)
			if err != nil {
				return &exitError{2, err}
			}
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

// namedNodes is the configuration with these of its nodes only.
func namedNodes(flags hostFlags, nodes []string) (*config.Config, error) {
	if flags.file == "" {
		flags.file = filepath.Join(flags.project, "Pulumi."+flags.stack+".yaml")
	}
	cfg, err := config.FromFile(flags.file)
	if err != nil {
		return nil, err
	}
	if cfg.Lent() {
		return nil, fmt.Errorf("stack %s: its cluster is lent, and no host of it is a stack's", flags.stack)
	}
	var named []config.Node
	for _, name := range nodes {
		i := slices.IndexFunc(cfg.Hosts.Nodes, func(node config.Node) bool { return node.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no node is called %s in strata:hosts.nodes of %s", name, flags.file)
		}
		named = append(named, cfg.Hosts.Nodes[i])
	}
	cfg.Hosts.Nodes = named
	return cfg, nil
}

// byHand runs a script on a host. Without a pin it makes the first contact, as a preflight does.
func byHand(ctx context.Context, host preflight.Host, script string) (string, error) {
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
	return is + "; " + nowWhose(verb, "a K3s on it", done)
}

// nowWhose words what became of a mark; keeps is what goes on without it.
func nowWhose(verb, keeps string, done bool) string {
	if !done {
		return "nothing was done; --yes does it"
	}
	return map[string]string{"release": "the mark is gone; " + keeps + " goes on", "adopt": "it is this stack's now"}[verb]
}
