//go:build bench

package e2e

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	// archive is the bundle's archive of images whose push is interrupted. Every node gets it.
	archive         = "images/metrics-server.tar.zst"
	imagesFolder    = "/var/lib/rancher/k3s/agent/images"
	snapshotsFolder = "/var/lib/rancher/k3s/server/db/snapshots"
)

// actions are the actions of Strata that last long enough for an interruption.
var actions = []action{
	{
		name: "push", change: otherArchive,
		inside: grows("agent-1", imagesFolder+"/.strata-push.*"),
		disk:   pushDisk, says: []string{"k3s-agent-1-images-", "on agent-1"},
	},
	{
		name: "install", change: func(a *acted, _ *testing.T) { a.labelled = !a.labelled },
		inside: runsOn("agent-1", "k3s-install.sh"),
		disk:   copiedDisk("agent-1", "/etc/rancher/k3s"), says: []string{"k3s-agent-1-install"},
	},
	{
		// The drain of agent-1 is interrupted. A server would have nothing to evict in a second
		// round, because its evicted Pods stay on the agents.
		name: "drain", begin: grow, change: otherK3s, inside: drains("agent-1"), end: shrink,
		disk: stateDisk, says: []string{"An IO error occurred while writing the new snapshot file"},
	},
	{
		name: "upgrade", change: otherK3s, inside: says("server-1 starts v"),
		disk: copiedDisk("server-1", "/usr/local/bin"),
		says: []string{"layer k3s: upgrade of server-1 ", "on server-1"},
	},
	{
		name: "snapshot", inside: runsOn("server-1", "etcd-snapshot"),
		command: func(a *acted) []string {
			return []string{strata, "snapshot", "--stack", a.name,
				"--to", a.folder}
		},
		disk: emptyDisk("server-1", snapshotsFolder), says: []string{"snapshot on server-1: "},
	},
	{
		name: "restore", begin: (*acted).snapshots, inside: runsOn("server-1", "--cluster-reset"),
		command: func(a *acted) []string {
			return []string{strata, "restore", "--stack", a.name, "--file", a.snapshot, "--yes"}
		},
		disk: emptyDisk("server-1", snapshotsFolder),
		says: []string{"restore: refused, nothing was changed", "on server-1"},
	},
	{
		name: "canary", change: otherVersion, inside: tries,
		after: func(a *acted, _ *testing.T) { a.sending.end() },
		disk:  stateDisk, says: []string{
			"An IO error occurred while writing the new snapshot file"},
	},
	{
		name: "machine", change: func(a *acted, _ *testing.T) { a.grown = true },
		inside: makes("agent-2"), after: shrink,
		disk: machineDisk, says: []string{"hosts-agent-2-vm", "local-lvm"},
	},
}

// otherArchive swaps the archive, so that every node gets other images. If an earlier round has
// pushed the new variant to a node, it deletes that file there.
func otherArchive(a *acted, t *testing.T) {
	sum := a.swap(t, archive)
	for _, n := range a.nodes() {
		a.machines.must(n.name, "rm -f "+imagesFolder+"/*-"+sum[:12]+".tar.zst")
	}
}

// otherK3s swaps K3s's binary, so that every node installs another binary of the same release.
func otherK3s(a *acted, t *testing.T) { a.swap(t, labsK3s) }

// snapshots takes a snapshot of the present cluster.
func (a *acted) snapshots(t *testing.T) {
	r := a.must(a.run(strata, "snapshot", "--stack", a.name, "--to", a.folder))
	found := snapshotName.FindStringSubmatch(r.output)
	require.NotNil(t, found, r.output)
	a.snapshot = filepath.Join(a.folder, found[1])
}

// otherVersion configures another version of shop, and sends the requests that the canary needs.
func otherVersion(a *acted, t *testing.T) {
	a.version++
	a.sending = a.send(t, "shop", 20)
}

// grow adds the second agent.
func grow(a *acted, _ *testing.T) {
	a.grown = true
	a.configure(a.sections())
	a.must(a.up())
}

// shrink removes the second agent.
func shrink(a *acted, _ *testing.T) {
	a.grown = false
	a.configure(a.sections())
	a.must(a.up())
}
