package restore_test

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/k3s/restore"
	"strata/health"
	"strata/internal/ssh/remote"
)

// fleet records the steps on each host, and fails the steps that a test chooses.
type fleet struct {
	mutex sync.Mutex
	did   []string
	// fails has keys of the form "step host".
	fails map[string]bool
	// has is the server that has the snapshot.
	has string
	// nodes lists the nodes whose passwords were to be removed, gone the deleted Nodes.
	nodes, gone string
}

func (f *fleet) Run(
	_ context.Context, host health.Host, step string, variables map[string]string,
) (string, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	step, _, _ = strings.Cut(step, " ")
	if step == "forget_nodes" {
		f.gone += variables["nodes"]
	} else {
		f.nodes += variables["nodes"]
	}
	if f.fails[step+" "+host.Name] {
		return "", errors.New("made to fail")
	}
	if step == "holds" {
		if host.Name == f.has {
			return "yes", nil
		}
		return "", nil
	}
	if first := variables["first"]; first != "" {
		step += " " + first
	}
	f.did = append(f.did, step+" "+host.Name)
	return "", nil
}

func (f *fleet) Works(_ context.Context, host health.Host) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.did = append(f.did, "works "+host.Name)
	if f.fails["works "+host.Name] {
		return errors.New("unit k3s failed")
	}
	return nil
}

func hosts(role string, names ...string) []health.Host {
	var list []health.Host
	for _, name := range names {
		list = append(list, health.Host{Target: remote.Target{Name: name, Address: "at-" + name},
			Role: role})
	}
	return list
}

func back(f *fleet) (*restore.Restore, *bytes.Buffer) {
	log := &bytes.Buffer{}
	return &restore.Restore{
		Hosts: f, Servers: hosts("server", "server-1", "server-2", "server-3"),
		Agents: hosts("agent", "agent-1"), Snapshot: "on-demand-1", User: "strata:dev", Log: log,
	}, log
}

func TestRestoreResetsOneServerAndRejoinsOthersInTurn(t *testing.T) {
	f := &fleet{}
	r, _ := back(f)
	times, err := r.Run(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "fits server-1", f.did[0], "before the first stop")
	assert.ElementsMatch(t, []string{"stop server-1", "stop server-2", "stop server-3"}, f.did[1:4])
	assert.Equal(t, []string{
		"reset server-1", "restart server-1", "works server-1", "forget_passwords server-1",
		"bind server-1",
		"rejoin at-server-1 server-2", "works server-2", "joined server-2",
		"rejoin at-server-1 server-3", "works server-3", "joined server-3",
	}, f.did[4:15])
	assert.ElementsMatch(t, []string{"release server-1", "release server-2", "release server-3"},
		f.did[15:18], "not before all are one cluster")
	assert.Equal(t, []string{"restart_agent agent-1", "works agent-1"}, f.did[18:])
	assert.LessOrEqual(t, times.API, times.All)
}

func TestRestoreStopsNothingWhileServerIsUnreachable(t *testing.T) {
	f := &fleet{fails: map[string]bool{"holds server-3": true}}
	r, _ := back(f)
	_, err := r.Run(t.Context())
	require.ErrorContains(t, err, "refused, nothing was changed")
	require.ErrorContains(t, err, "server-3: made to fail; a host that is gone for good: --without NAME")
	assert.Empty(t, f.did)
}

func TestRestoreStopsNothingForMismatchedSnapshot(t *testing.T) {
	f := &fleet{fails: map[string]bool{"fits server-1": true}}
	r, _ := back(f)
	_, err := r.Run(t.Context())
	require.ErrorContains(t, err, "refused, nothing was changed: server-1: made to fail")
	assert.Empty(t, f.did)
}

func TestFailedStopRestartsAllServers(t *testing.T) {
	f := &fleet{fails: map[string]bool{"stop server-2": true}}
	r, _ := back(f)
	_, err := r.Run(t.Context())
	require.ErrorContains(t, err, "stop the servers: server-2")
	assert.NotContains(t, f.did, "reset server-1")
	assert.Subset(t, f.did, []string{"start_again server-1", "start_again server-2",
		"start_again server-3"})
}

func TestFailedResetKeepsDataOfOtherServers(t *testing.T) {
	f := &fleet{fails: map[string]bool{"reset server-1": true}}
	r, _ := back(f)
	_, err := r.Run(t.Context())
	require.ErrorContains(t, err,
		"reset server-1: made to fail; the other servers are started with the data that they "+
			"had; server-1 stays stopped, also after a reboot")
	assert.ElementsMatch(t, []string{"start_again server-2", "start_again server-3"}, f.did[4:])
}

func TestFailedResetOfOnlyServerNamesRestoreCommand(t *testing.T) {
	f := &fleet{fails: map[string]bool{"reset server-1": true}}
	r, _ := back(f)
	r.Servers = r.Servers[:1]
	_, err := r.Run(t.Context())
	require.ErrorContains(t, err, "there is no other server, so the cluster is down")
	require.ErrorContains(t, err,
		"its data are in /var/lib/rancher/k3s/server/db/etcd or, moved by K3s, in "+
			"/var/lib/rancher/k3s/server/db/etcd-old-*: run strata restore again")
	assert.Equal(t, []string{"fits server-1", "stop server-1"}, f.did,
		"it is not started, and no up comes between")
}

// A snapshot may be older than a replaced host: then it has the node password of the old host.
func TestNodePasswordsAreDeletedBeforeServersRejoin(t *testing.T) {
	f := &fleet{fails: map[string]bool{"forget_passwords server-1": true}}
	r, _ := back(f)
	_, err := r.Run(t.Context())
	require.ErrorContains(t, err, "forget the nodes' passwords: made to fail")
	assert.Equal(t, "server-1 server-2 server-3 agent-1", f.nodes)
	assert.NotContains(t, strings.Join(f.did, " "), "rejoin")
}

// The Nodes of lost servers count as dead etcd members. While they exist, Strata refuses to replace
// or remove one of these servers, because it finds no quorum.
func TestNodesOfLostServersAreDeletedBeforeServersRejoin(t *testing.T) {
	f := &fleet{}
	r, _ := back(f)
	r.Servers, r.Gone = r.Servers[:2], []string{"server-3"}
	_, err := r.Run(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"works server-1", "forget_nodes server-1", "forget_passwords server-1"},
		f.did[5:8])
	assert.Equal(t, "server-3", f.gone)
	f = &fleet{fails: map[string]bool{"forget_nodes server-1": true}}
	r.Hosts = f
	_, err = r.Run(t.Context())
	require.ErrorContains(t, err, "delete the Nodes of server-3: made to fail; run strata restore again")
	assert.NotContains(t, strings.Join(f.did, " "), "rejoin")
}

func TestNoServerRejoinsWhenResetServerFails(t *testing.T) {
	f := &fleet{fails: map[string]bool{"works server-1": true}}
	r, _ := back(f)
	_, err := r.Run(t.Context())
	require.ErrorContains(t, err, "server-1 does not serve: unit k3s failed")
	assert.NotContains(t, strings.Join(f.did, " "), "rejoin")
}

func TestFindPutsServerWithSnapshotFirst(t *testing.T) {
	servers := hosts("server", "server-1", "server-2", "server-3")
	found, err := restore.Find(t.Context(), &fleet{has: "server-2"}, servers, "on-demand-1")
	require.NoError(t, err)
	assert.Equal(t, hosts("server", "server-2", "server-1", "server-3"), found)
	_, err = restore.Find(t.Context(), &fleet{}, servers, "on-demand-1")
	require.ErrorContains(t, err, "no server has the snapshot on-demand-1")
}

func TestExcludingUnknownHostFails(t *testing.T) {
	left, err := restore.ExcludeHosts(hosts("server", "a", "b"), []string{"a"})
	require.NoError(t, err)
	assert.Equal(t, hosts("server", "b"), left)
	_, err = restore.ExcludeHosts(hosts("server", "a"), []string{"c"})
	require.ErrorContains(t, err, "no node is called c; there are a")
}

func TestRestoreStepsPassShellcheck(t *testing.T) {
	checker, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Skip("shellcheck is not installed")
	}
	out, err := exec.Command(checker, "--shell=sh", "steps.sh").CombinedOutput()
	require.NoError(t, err, string(out))
}
