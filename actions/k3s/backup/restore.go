package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"strata/actions/k3s/credential"
	"strata/actions/k3s/restore"
	"strata/actions/k3s/revision"
	"strata/config"
	"strata/health"
	"strata/internal/files/digest"
	"strata/internal/files/tempdir"
)

// Wanted selects the data to restore. Exactly one of Snapshot, File and Current is set.
type Wanted struct {
	// Snapshot is the name of a snapshot on a server, File the path of a local one.
	Snapshot, File string
	// Current makes the restore use the first server's own data instead of a snapshot. It then only
	// removes the other etcd members.
	Current bool
	// From is the name of the server that is reset. Default: the first server that has the
	// snapshot.
	From string
	// Without names the nodes whose hosts are lost. The restore does not wait for them.
	Without []string
}

// Plan is a prepared restore: the selected data and the hosts.
type Plan struct {
	Wanted
	cluster         Cluster
	servers, agents []health.Host
	// gone names the lost servers, whose Nodes the restore deletes.
	gone []string
}

// Plan returns a restore of the servers and agents that are not in wanted.Without, with the server
// From first. It fails for an unknown name. It sends no request.
func (c Cluster) Plan(wanted Wanted) (Plan, error) {
	left, err := restore.ExcludeHosts(c.plan.Nodes, wanted.Without)
	if err != nil {
		return Plan{}, fmt.Errorf("--without: %w", err)
	}
	before := c.plan.NodesByRole(config.RoleServer)
	c.plan.Nodes = left
	plan := Plan{Wanted: wanted, cluster: c, servers: c.plan.NodesByRole(config.RoleServer),
		agents: c.plan.NodesByRole(config.RoleAgent)}
	for _, server := range before {
		if slices.Contains(wanted.Without, server.Name) {
			plan.gone = append(plan.gone, server.Name)
		}
	}
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

// Find searches the servers for the snapshot, and puts the server that has it first unless From
// names a server. A local snapshot file must exist. Find changes nothing.
func (p *Plan) Find(ctx context.Context, log io.Writer) error {
	switch {
	case p.Current:
		return nil
	case p.File != "":
		p.Snapshot = filepath.Base(p.File)
		_, err := os.Stat(p.File)
		return err
	}
	candidates := p.servers
	if p.From != "" {
		candidates = p.servers[:1]
	}
	found, err := restore.Find(ctx, bounded{p.cluster.hosts(log)}, candidates, p.Snapshot)
	if err == nil && p.From == "" {
		p.servers = found
	}
	return err
}

// Describe prints the steps of Run.
func (p *Plan) Describe(out io.Writer) error {
	what := "with the data of " + p.Snapshot
	if p.Current {
		what = "with its own data"
	}
	if len(p.gone) > 0 {
		what += " and without the Nodes of " + strings.Join(p.gone, ", ")
	}
	_, err := fmt.Fprintf(out, "Nothing was done. With --yes:\n"+
		"  1. K3s stops on %s; Pods go on, the API is away\n"+
		"  2. %s becomes the only member, %s: what changed since then is gone, and every client "+
		"of the API is told to look anew\n"+
		"  3. the other servers join it, one after the other; their old data stay in "+
		"/var/lib/rancher/k3s/server/db/etcd-before-restore\n"+
		"  4. K3s restarts on %s\n", namesOf(p.servers), p.servers[0].Name, what, namesOf(p.agents))
	return err
}

// workLimit bounds a restore, from the end of the transfers until every remaining node works.
const workLimit = time.Hour

// Run restores the cluster. It checks that a login will work after the restore, gives the first
// server a copy of the snapshot with a raised revision, and resets the servers. log receives the
// steps and the progress of gates. The transfers do not count towards workLimit, so a slow line
// does not shorten the time for the servers.
func (p *Plan) Run(ctx context.Context, log io.Writer) (restore.Times, error) {
	first := p.servers[0]
	if err := p.cluster.authenticate(ctx, first, time.Now(), log); err != nil {
		return restore.Times{}, fmt.Errorf("restore: %w", err)
	}
	snapshot := ""
	if !p.Current {
		var err error
		if snapshot, err = p.putAhead(ctx, first, log); err != nil {
			return restore.Times{}, fmt.Errorf("restore: refused, nothing was changed: %w", err)
		}
	}
	back := restore.Restore{
		Hosts: p.cluster.hosts(log), Servers: p.servers, Agents: p.agents, Gone: p.gone,
		Snapshot: snapshot, User: credential.UserOf(p.cluster.secrets.Kubeconfig), Log: log,
	}
	ctx, cancel := withTimeout(ctx, workLimit)
	defer cancel()
	times, err := back.Run(ctx)
	if err != nil {
		return times, fmt.Errorf("restore: %w", err)
	}
	return times, nil
}

// putAhead gives a server a copy of the snapshot whose revision is ahead of every revision that
// clients have seen (package revision), and returns the copy's name. The server removes the copy at
// the end of the restore.
func (p *Plan) putAhead(ctx context.Context, first health.Host, log io.Writer) (name string,
	err error) {
	folder, err := tempdir.New(os.TempDir(), "strata-restore-") // a snapshot holds every Secret
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, folder.Remove()) }()
	hosts, source := p.cluster.hosts(log), p.File
	if source == "" {
		source = filepath.Join(folder.Path, p.Snapshot)
		sum, err := bounded{hosts}.Run(ctx, first, "sum",
			map[string]string{"snapshot": p.Snapshot})
		if err != nil {
			return "", fmt.Errorf("%s: %w; strata snapshot --list shows what the servers have",
				first.Name, err)
		}
		if err := hosts.Copy(ctx, first, p.Snapshot, source, sum); err != nil {
			return "", err
		}
	}
	name = strings.TrimSuffix(p.Snapshot, ".zip") + restore.Ahead
	ahead := filepath.Join(folder.Path, name)
	if err := revision.PutAhead(source, ahead, time.Now(),
		revision.Edit{Tokens: p.cluster.tokens}); err != nil {
		return "", err
	}
	sum, err := digest.File(ahead)
	if err != nil {
		return "", err
	}
	return name, hosts.Push(ctx, first, ahead, name, sum)
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
