package backup

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"strata/actions/k3s/credential"
	"strata/actions/k3s/restore"
	"strata/actions/k3s/token"
	"strata/actions/k3s/upgrade"
	"strata/health"
	"strata/internal/pulumi/stackstate"
	"strata/internal/pulumi/statelayout"
	"strata/internal/ssh/tunnel"
)

// Cluster describes the cluster in a stack's state, with the credentials to access it.
type Cluster struct {
	plan    upgrade.Plan
	secrets health.Secrets
	// tokens lists the server tokens of all generations. One of them decrypts the keys in a
	// snapshot.
	tokens []string
	// own reads K3s's own kubeconfig from a server. It is set if the stack's kubeconfig cannot be
	// used, and nil otherwise.
	own *credential.SSH
}

// ownLimit bounds an attempt to read K3s's own kubeconfig; it allows for a loaded host.
const ownLimit = time.Minute

// withTimeout is context.WithTimeout; tests replace it.
var withTimeout = context.WithTimeout

// stepLimit bounds one step on one host before a restore stops K3s anywhere. K3s may need two
// minutes for a snapshot (restore/steps.sh), and the host then reads all of it for its checksum.
const stepLimit = 5 * time.Minute

// bounded bounds each step by stepLimit, so that an unresponsive host leaves time for the next one.
type bounded struct{ restore.Hosts }

// Run implements restore.Hosts.
func (b bounded) Run(
	ctx context.Context, host health.Host, step string, variables map[string]string,
) (string, error) {
	ctx, cancel := withTimeout(ctx, stepLimit)
	defer cancel()
	return b.Hosts.Run(ctx, host, step, variables)
}

// ClusterOf returns a stack's cluster, read from the stack's state. It fails if the stack has no
// cluster of its own.
func ClusterOf(ctx context.Context, project, stack string) (Cluster, error) {
	state, err := stackstate.CommandLine(project).Read(ctx, stack)
	if err != nil {
		return Cluster{}, err
	}
	return clusterIn(state, stack)
}

// clusterIn is ClusterOf with the state as a parameter.
func clusterIn(state *stackstate.State, stack string) (Cluster, error) {
	if commands := state.Commands("upgrade"); len(commands) > 0 {
		command := commands[0]
		var found Cluster
		if err := json.Unmarshal([]byte(command.Input("stdin")), &found.plan); err != nil {
			return found, fmt.Errorf("state of %s: %w; run pulumi up with this version of the program",
				command.URN, err)
		}
		found.secrets, found.tokens = health.SecretsFrom(command.Environment), token.Servers(state)
		return found, nil
	}
	if slices.ContainsFunc(state.OfType(stackstate.LocalCommand),
		func(command stackstate.Resource) bool {
			return strings.Contains(string(command.URN),
				statelayout.Token("cluster", "ExistingCluster")+"$")
		}) {
		return Cluster{}, fmt.Errorf(
			"stack %s runs on an existing cluster (strata:cluster): its servers, etcd and "+
				"snapshots are its owner's", stack)
	}
	return Cluster{}, fmt.Errorf("stack %s has no cluster yet: run pulumi up -s %s", stack, stack)
}

// hosts returns SSH access to the nodes' hosts. log receives the progress of gates.
func (c Cluster) hosts(log io.Writer) *restore.SSH {
	urls := c.plan.URLs()
	reach := &upgrade.SSH{SHA256: c.plan.SHA256, Secrets: c.secrets, Return: c.plan.Return.Duration,
		Log: log}
	return &restore.SSH{Key: c.secrets.SSHKey, SHA256: c.plan.SHA256, Owner: c.plan.Owner,
		Gate: func(ctx context.Context, host health.Host) error {
			at := *reach
			if c.own != nil && urls[host.Name] != "" {
				// Read K3s's own kubeconfig again: when K3s started, it may have renewed the
				// kubeconfig's certificate.
				_, text, err := c.own.Admin(ctx, host.Target, ownLimit)
				if err != nil {
					return err
				}
				at.Secrets.Kubeconfig = text
			}
			return at.Works(ctx, host, urls[host.Name])
		}}
}

// authenticate checks, before any change, that a login will work after the restore: the stack's
// certificate, or else K3s's own kubeconfig from the server to be reset. Without an etcd quorum,
// API servers answer no request, so it suffices that no server rejects the certificate.
func (c *Cluster) authenticate(
	ctx context.Context, first health.Host, now time.Time, log io.Writer,
) error {
	ctx, cancel := withTimeout(ctx, stepLimit)
	defer cancel()
	lease, err := tunnel.Open(ctx, health.Spec{Hosts: c.plan.Nodes}.Tunnel(), c.secrets.SSHKey)
	if err != nil {
		return err
	}
	defer lease.Close()
	why := credential.Usable(c.secrets.Kubeconfig, now)
	for _, url := range c.plan.Servers {
		if why != nil {
			break
		}
		if err := (&upgrade.SSH{Secrets: c.secrets}).Serves(ctx,
			url); apierrors.IsUnauthorized(err) {
			why = fmt.Errorf("%s does not believe it: %w", url, err)
		}
	}
	if why == nil {
		return nil
	}
	own := &credential.SSH{Key: c.secrets.SSHKey, Owner: c.plan.Owner}
	if _, _, err := own.Admin(ctx, first.Target, ownLimit); err != nil {
		return fmt.Errorf(
			"refused, nothing was changed: no login would work afterwards. The stack's "+
				"kubeconfig: %w. K3s's own, on %s: %w", why, first.Name, err)
	}
	_, _ = fmt.Fprintf(log,
		"restore: the stack's kubeconfig is of no use (%v): gates log in with K3s's own, from "+
			"the host; pulumi up renews it\n", why)
	c.own = own
	return nil
}
