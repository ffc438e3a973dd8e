package backup

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"strata/config"
	"strata/health"
	"strata/internal/credential"
	"strata/internal/digest"
	"strata/internal/k3s/restore"
)

// Wanted is where a cluster is to go back to: to one of Snapshot, File and Current.
type Wanted struct {
	// Snapshot is the name of one that a server has, File one that is a local file.
	Snapshot, File string
	// Current keeps the data that the server has: it only forgets the other members.
	Current bool
	// From is the server that is reset; empty for the first that has the snapshot.
	From string
	// Without are nodes that are gone for good and are not waited for.
	Without []string
}

// Plan is what a restore would do.
type Plan struct {
	Wanted
	cluster         Cluster
	servers, agents []health.Host
	// sum is the File's sha256.
	sum string
}

// Plan finds the servers and agents that are left, the one of From first. It sends no request. A name that no node has is an error.
func (c Cluster) Plan(wanted Wanted) (Plan, error) {
	left, err := restore.Without(c.plan.Nodes, wanted.Without)
	if err != nil {
		return Plan{}, fmt.Errorf("--without: %w", err)
	}
	c.plan.Nodes = left
	plan := Plan{Wanted: wanted, cluster: c, servers: c.plan.Of(config.RoleServer), agents: c.plan.Of(config.RoleAgent)}
	if wanted.From != "" {
		if plan.servers, err = restore.First(plan.servers, wanted.From); err != nil {
			return Plan{}, fmt.Errorf("--from: %w", err)
		}
	}
	if len(plan.servers) == 0 {
		return Plan{}, fmt.Errorf("--without: no server is left")
	}
	return plan, nil
}

// Find puts the server first that has the snapshot, unless From names one, and reads one that is a file here. It changes nothing.
func (p *Plan) Find(ctx context.Context, log io.Writer) error {
	switch {
	case p.Current:
		return nil
	case p.File != "":
		sum, err := digest.File(p.File)
		p.Snapshot, p.sum = filepath.Base(p.File), sum
		return err
	}
	candidates := p.servers
	if p.From != "" {
		candidates = p.servers[:1]
	}
	found, err := restore.Find(ctx, p.cluster.hosts(log), candidates, p.Snapshot)
	if err == nil && p.From == "" {
		p.servers = found
	}
	return err
}

// Describe says what Run would do.
func (p *Plan) Describe(out io.Writer) error {
	what := "with the data of " + p.Snapshot
	if p.Current {
		what = "with its own data"
	}
	_, err := fmt.Fprintf(out, "Nothing was done. With --yes:\n"+
		"  1. K3s stops on %s; Pods go on, the API is away\n"+
		"  2. %s becomes the only member, %s: what changed since then is gone\n"+
		"  3. the other servers join it, one after the other; their old data stay in /var/lib/rancher/k3s/server/db/etcd-before-restore\n"+
		"  4. K3s restarts on %s\n", namesOf(p.servers), p.servers[0].Name, what, namesOf(p.agents))
	return err
}

// Run restores: it puts a snapshot that is a file here where K3s expects it, makes sure that a login works afterwards, and goes back. What
// it does and what gates tell goes to log.
func (p *Plan) Run(ctx context.Context, log io.Writer) (restore.Times, error) {
	first := p.servers[0]
	if p.File != "" {
		if err := p.cluster.hosts(log).Push(ctx, first, p.File, p.Snapshot, p.sum); err != nil {
			return restore.Times{}, err
		}
	}
	if err := p.cluster.authenticate(ctx, first, time.Now(), log); err != nil {
		return restore.Times{}, fmt.Errorf("restore: %w", err)
	}
	back := restore.Restore{
		Hosts: p.cluster.hosts(log), Servers: p.servers, Agents: p.agents, Snapshot: p.Snapshot,
		User: credential.UserOf(p.cluster.secrets.Kubeconfig), Log: log,
	}
	times, err := back.Run(ctx)
	if err != nil {
		return times, fmt.Errorf("restore: %w", err)
	}
	return times, nil
}

func namesOf(hosts []health.Host) string {
	if len(hosts) == 0 {
		return "no node"
	}
	names := make([]string, 0, len(hosts))
	for _, host := range hosts {
		names = append(names, host.Name)
	}
	return strings.Join(names, ", ")
}
