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
	"sync"
	"time"

	"strata/actions/hosts/reach"
	"strata/actions/k3s/members"
	"strata/actions/k3s/revision"
	"strata/config"
	"strata/internal/files/digest"
	"strata/internal/files/tempdir"
	"strata/internal/k3shost"
	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/remote"
)

// stillLimit bounds the check of one old server for a running K3s. The servers are checked in
// parallel, because most of them do not answer any more.
const stillLimit = 30 * time.Second

// NewHosts restores a cluster that has lost all its hosts to new ones, from a snapshot and the
// stack's state. It only copies the snapshot to the first server of the stack file. Then `pulumi
// up` installs K3s there, which restores the snapshot, and the other hosts join (docs/adr/0055).
type NewHosts struct {
	// Warnings lists problems in the SSH files that were read for the logins.
	Warnings    []string
	stack, file string
	cluster     Cluster
	past        members.Past
	first       reach.Host
}

// ForNewHosts prepares a restore to the hosts of the stack's configuration. It fails if one of them
// was a server of the old cluster. It changes nothing and connects to no host.
func ForNewHosts(
	ctx context.Context, project, stack, file string, cfg *config.Config,
) (*NewHosts, error) {
	if cfg.Hosts.Driver != config.DriverExisting {
		return nil, fmt.Errorf(
			"--new-hosts: hosts.driver is %s, whose machines pulumi up makes anew one by one: "+
				"strata restore without --new-hosts", cfg.Hosts.Driver)
	}
	state, err := stackstate.CommandLine(project).Read(ctx, stack)
	if err != nil {
		return nil, err
	}
	cluster, err := clusterIn(state, stack)
	if err != nil {
		return nil, err
	}
	n := &NewHosts{stack: stack, file: file, cluster: cluster, past: members.PastOf(state)}
	hosts, err := reach.Hosts(cfg.Hosts, project)
	if err != nil {
		return nil, err
	}
	var servers []remote.Target
	for i, node := range cfg.Hosts.Nodes {
		n.Warnings = append(n.Warnings, hosts[i].Warnings...)
		if node.Role != config.RoleServer {
			continue
		}
		if len(servers) == 0 {
			n.first = hosts[i]
		}
		servers = append(servers, hosts[i].Target)
	}
	switch {
	case n.past.Keeps(servers):
		return nil, errors.New(
			"--new-hosts: a server of the stack file has the address or the host key of one that " +
				"the cluster had: write the new hosts' " +
				"into hosts.nodes first, or, where that server lives: strata restore without --new-hosts")
	case n.first.Target.HostKey == "":
		return nil, fmt.Errorf(
			"--new-hosts: the host key of %s is not known, and the snapshot holds every Secret: "+
				"compare what ssh-keyscan %s says with the "+
				"host's console, and write it as ssh: {hostKey: …} of the node",
			n.first.Target.Name,
			n.first.Target.DialAddress())
	}
	return n, nil
}

// Describe prints the steps of Run and of the next update.
func (n *NewHosts) Describe(out io.Writer) error {
	_, err := fmt.Fprintf(out, "Nothing was done. With --yes:\n"+
		"  1. %s (%s) gets the data of %s, without the Nodes of the hosts that are lost\n"+
		"  2. pulumi up -s %s installs K3s there with those data; every other host joins it\n",
		n.first.Target.Name, n.first.Target.Address, filepath.Base(n.file), n.stack)
	return err
}

// Run copies the snapshot to the first server. It fails if K3s still runs on an old server.
func (n *NewHosts) Run(ctx context.Context, log io.Writer) error {
	if err := n.stillRuns(ctx, stillLimit); err != nil {
		return err
	}
	folder, err := tempdir.New(os.TempDir(), "strata-restore-") // a snapshot holds every Secret
	if err != nil {
		return err
	}
	defer func() { _ = folder.Remove() }()
	ahead := filepath.Join(folder.Path, "snapshot")
	if err := n.putAhead(ahead); err != nil {
		return fmt.Errorf("restore: refused, nothing was changed: %w", err)
	}
	sum, err := digest.File(ahead)
	if err != nil {
		return err
	}
	short, cancel := withTimeout(ctx, stepLimit) // the transfer is bounded by its silence
	defer cancel()
	client, err := remote.Dial(short, n.first.Target, n.first.Key)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	if _, err := client.Run(short, n.cluster.plan.Owner.WithNode(n.first.Target.Name).Insists()+takeScript,
		nil); err != nil {
		return fmt.Errorf("restore: %s: %w", n.first.Target.Name, err)
	}
	upload := remote.Upload{File: ahead, Dest: members.Snapshot, Mode: 0o600, SHA256: sum}
	if _, err := client.Push(ctx, upload); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	_, err = fmt.Fprintf(log, "restore: %s has the cluster's data\n", n.first.Target.Name)
	return err
}

// takeScript claims a host for the stack; it fails if the host has K3s.
const takeScript = `if has_k3s; then
	echo "expected a host without K3s, found one: uninstall it first (docs/host-ownership.md)" >&2
	exit 1
fi
claim
`

// putAhead writes to ahead the edited copy of the snapshot, which K3s restores. Its revision is
// ahead of every revision that clients have seen (package revision), and it lacks the Nodes and
// node passwords of the lost hosts. It fails for a snapshot of another cluster.
func (n *NewHosts) putAhead(ahead string) error {
	return revision.PutAhead(n.file, ahead, time.Now(),
		revision.Edit{Tokens: n.cluster.tokens, Forget: func(name string) bool {
			return strings.HasPrefix(name, "/registry/minions/") ||
				strings.HasPrefix(name, "/registry/secrets/kube-system/") &&
					strings.HasSuffix(name, ".node-password.k3s")
		}})
}

// stillRuns returns an error if K3s runs on an old server, because it would be a second cluster
// with the same data. An old server that does not answer counts as stopped.
func (n *NewHosts) stillRuns(ctx context.Context, limit time.Duration) error {
	var running []string
	var mutex sync.Mutex
	var all sync.WaitGroup
	for _, server := range n.past.Servers {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			text, err := k3shost.Run(ctx, server, n.cluster.secrets.SSHKey,
				"systemctl is-active k3s || test $? = 3")
			if err != nil || slices.Contains([]string{"inactive", "failed", "unknown"}, text) {
				return
			}
			mutex.Lock()
			defer mutex.Unlock()
			running = append(running, server.Name+" "+server.Address)
		})
	}
	all.Wait()
	slices.Sort(running)
	if len(running) == 0 {
		return nil
	}
	return fmt.Errorf(
		"restore: refused, nothing was changed: K3s still runs on %s, and would be a second "+
			"cluster: stop it there for good: "+
			"systemctl disable --now k3s k3s-agent", strings.Join(running, ", "))
}
