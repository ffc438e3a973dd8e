package restore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"strata/health"
	"strata/internal/k3shost"
)

// stopLimit bounds the stop of one server. systemd gives up after 90 s, and the script waits up to
// 2 minutes for a running install.
const stopLimit = 4 * time.Minute

// Restore restores a snapshot, or repairs a cluster that lost its quorum.
type Restore struct {
	// Hosts reaches the hosts.
	Hosts Hosts
	// Servers and Agents are the cluster's nodes, without the lost ones. The first server is reset.
	Servers, Agents []health.Host
	// Gone names the lost servers, whose Nodes are deleted. etcd forgets these members, but while
	// their Nodes count as members, no update can remove or replace a server.
	Gone []string
	// Snapshot is the file's name in Folder of the first server. If empty, that server keeps its
	// own data and only removes the other etcd members, which repairs a lost quorum.
	Snapshot string
	// User is the stack's user, whose role binding may be missing in the snapshot. Empty for K3s's
	// own login, which needs no binding.
	User string
	// Log receives a line for each step.
	Log io.Writer
}

// Times holds the durations of a restore since the stop of the servers.
type Times struct {
	// API is the time until the first server answered, All until every server and agent worked.
	API, All time.Duration
}

// Find returns the servers in a new order: the first server that has the snapshot is in front. It
// fails if no server has the snapshot.
func Find(
	ctx context.Context, hosts Hosts, servers []health.Host, snapshot string,
) ([]health.Host, error) {
	var failures []error
	for i, server := range servers {
		found, err := hosts.Run(ctx, server, "holds", map[string]string{"snapshot": snapshot})
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", server.Name, err))
			continue
		}
		if found == "yes" {
			return toFront(servers, i), nil
		}
	}
	return nil, errors.Join(
		append(failures,
			fmt.Errorf("no server has the snapshot %s in %s; strata snapshot --list shows what they have", snapshot,
				Folder))...)
}

// First returns the servers in a new order, with the named one in front. It fails for an unknown
// name.
func First(servers []health.Host, name string) ([]health.Host, error) {
	i, err := hostIndex(servers, name)
	if err != nil {
		return nil, err
	}
	return toFront(servers, i), nil
}

func toFront(servers []health.Host, i int) []health.Host {
	return slices.Concat(servers[i:i+1], servers[:i], servers[i+1:])
}

// Run restores the cluster. It first checks that it can reach every server, because a server that
// starts later with the old data would form a second cluster under the same addresses.
func (r *Restore) Run(ctx context.Context) (Times, error) {
	var times Times
	if err := r.every(ctx, r.Servers, "holds",
		map[string]string{"snapshot": r.Snapshot}); err != nil {
		return times, fmt.Errorf(
			"refused, nothing was changed: every server must be stopped first: %w; a host that "+
				"is gone for good: --without NAME", err)
	}
	first := r.Servers[0]
	if _, err := r.Hosts.Run(ctx, first, "fits",
		map[string]string{"snapshot": r.Snapshot}); err != nil {
		return times, fmt.Errorf(
			"refused, nothing was changed: %s: %w; strata snapshot --list shows what the servers have", first.Name, err)
	}
	started := time.Now()
	limited, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	if err := r.every(limited, r.Servers, "stop", nil); err != nil {
		return times, errors.Join(fmt.Errorf("stop the servers: %w", err), r.undo(ctx, r.Servers))
	}
	r.say("%d servers are stopped", len(r.Servers))
	if _, err := r.Hosts.Run(ctx, first, "reset",
		map[string]string{"snapshot": r.Snapshot}); err != nil {
		return times, errors.Join(r.failedReset(err), r.undo(ctx, r.Servers[1:]))
	}
	if err := r.begin(ctx, first, "restart >&2", nil); err != nil {
		return times, err
	}
	times.API = time.Since(started)
	r.say("%s serves alone, %s after the stop", first.Name, times.API.Round(time.Second))
	if err := r.correct(ctx, first); err != nil {
		return times, fmt.Errorf("%w; run strata restore again", err)
	}
	// One at a time, because etcd allows only one learner.
	for _, server := range r.Servers[1:] {
		if err := r.begin(ctx, server, "rejoin",
			map[string]string{"first": first.Address}); err != nil {
			return times, err
		}
		if _, err := r.Hosts.Run(ctx, server, "joined", nil); err != nil {
			return times, fmt.Errorf("%s has joined: %w", server.Name, err)
		}
		r.say("%s has joined", server.Name)
	}
	if err := r.every(ctx, r.Servers, "release", nil); err != nil {
		return times, fmt.Errorf("end the restore: %w; run strata restore again", err)
	}
	if err := r.agents(ctx); err != nil {
		return times, err
	}
	times.All = time.Since(started)
	return times, nil
}

// correct adapts the restored data to the current hosts and stack: it deletes the Nodes of lost
// servers and all node passwords, and creates the role binding of the stack's user.
func (r *Restore) correct(ctx context.Context, first health.Host) error {
	if len(r.Gone) > 0 {
		if _, err := r.Hosts.Run(ctx, first, "forget_nodes",
			map[string]string{"nodes": strings.Join(r.Gone, " ")}); err != nil {
			return fmt.Errorf("delete the Nodes of %s: %w", strings.Join(r.Gone, ", "), err)
		}
	}
	if _, err := r.Hosts.Run(ctx, first, "forget_passwords",
		map[string]string{"nodes": r.nodes()}); err != nil {
		return fmt.Errorf("forget the nodes' passwords: %w", err)
	}
	if r.User != "" {
		if _, err := r.Hosts.Run(ctx, first, "bind",
			map[string]string{"user": r.User}); err != nil {
			return fmt.Errorf("bind %s to its role: %w", r.User, err)
		}
	}
	return nil
}

// failedReset returns an error that describes the state after a failed reset and how to repair it.
func (r *Restore) failedReset(err error) error {
	first, others := r.Servers[0].Name, "there is no other server, so the cluster is down"
	if len(r.Servers) > 1 {
		others = "the other servers are started with the data that they had"
	}
	return fmt.Errorf(
		"reset %s: %w; %s; %s stays stopped, also after a reboot, and its data are in %s/etcd "+
			"or, moved by K3s, in %s/etcd-old-*: "+
			"run strata restore again, before any pulumi up", first, err, others, first, database,
		database)
}

func (r *Restore) nodes() string {
	var names []string
	for _, host := range slices.Concat(r.Servers, r.Agents) {
		names = append(names, host.Name)
	}
	return strings.Join(names, " ")
}

// begin starts K3s on a server and waits until it works.
func (r *Restore) begin(
	ctx context.Context, server health.Host, step string, variables map[string]string,
) error {
	if _, err := r.Hosts.Run(ctx, server, step, variables); err != nil {
		return fmt.Errorf("start %s: %w", server.Name, err)
	}
	if err := r.Hosts.Works(ctx, server); err != nil {
		return fmt.Errorf("%s does not serve: %w; run strata restore again when it can",
			server.Name, err)
	}
	return nil
}

// agents restarts K3s on every agent. Their caches have newer data than the snapshot, so their
// watches would wait for events that never come. An agent that fails does not delay the others.
func (r *Restore) agents(ctx context.Context) error {
	var servers []string
	for _, server := range r.Servers {
		servers = append(servers, server.Address)
	}
	return k3shost.ForEach(r.Agents, func(_ int, agent health.Host) error {
		if _, err := r.Hosts.Run(ctx, agent, "restart_agent",
			map[string]string{"servers": strings.Join(servers, " ")}); err != nil {
			return fmt.Errorf("restart %s: %w", agent.Name, err)
		}
		return r.Hosts.Works(ctx, agent)
	})
}

// every runs a step on all hosts in parallel.
func (r *Restore) every(
	ctx context.Context, hosts []health.Host, step string, variables map[string]string,
) error {
	return k3shost.ForEach(hosts, func(_ int, host health.Host) error {
		if _, err := r.Hosts.Run(ctx, host, step, variables); err != nil {
			return fmt.Errorf("%s: %w", host.Name, err)
		}
		return nil
	})
}

// undo starts K3s again on servers where it was stopped and whose data were not changed.
func (r *Restore) undo(ctx context.Context, servers []health.Host) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	return r.every(ctx, servers, "start_again", nil)
}

// ExcludeHosts returns hosts without the named ones. It fails for an unknown name.
func ExcludeHosts(hosts []health.Host, names []string) ([]health.Host, error) {
	for _, name := range names {
		i, err := hostIndex(hosts, name)
		if err != nil {
			return nil, err
		}
		hosts = slices.Delete(slices.Clone(hosts), i, i+1)
	}
	return hosts, nil
}

// hostIndex returns the index of the named host, or an error that lists the known names.
func hostIndex(hosts []health.Host, name string) (int, error) {
	i := slices.IndexFunc(hosts, func(host health.Host) bool { return host.Name == name })
	if i >= 0 {
		return i, nil
	}
	var known []string
	for _, host := range hosts {
		known = append(known, host.Name)
	}
	return i, fmt.Errorf("no node is called %s; there are %s", name, strings.Join(known, ", "))
}

func (r *Restore) say(format string, args ...any) {
	_, _ = fmt.Fprintf(r.Log, "restore: "+format+"\n", args...)
}
