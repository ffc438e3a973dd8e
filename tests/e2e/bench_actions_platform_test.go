//go:build bench

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// acted is a small platform on machines that Strata creates. The bench interrupts Strata's actions
// on it, one after the other.
type acted struct {
	*stack
	pve      *proxmox
	machines *hostSet
	// bundle is a copy of the lab's bundle in which files may be replaced. folder holds copies of
	// snapshots.
	bundle, folder string
	all            []node
	// grown, labelled and version describe the present configuration: whether there is a second
	// agent, whether an agent has a label, and the version of shop.
	grown, labelled bool
	version         int
	shop            map[string]any
	// snapshot is the file of a snapshot of the present cluster. sending is the load generator
	// whose requests a canary needs.
	snapshot string
	sending  *sender
	// tried counts the interruptions of the present action.
	tried int
}

// newActed brings the platform up. Its state is on a separate file system that a test can fill.
func newActed(t *testing.T) *acted {
	a := &acted{all: []node{{"server-1", "server", 11}, {"agent-1", "agent", 21},
		{"agent-2", "agent", 22}}, shop: quickShop()}
	a.shop["canary"] = map[string]any{"steps": []int{canarySecond}, "hold": "4s", "minAnswers": 1}
	a.pve = newPVE(t, "e2e-actions", network{"stl0", "10.39.0"}, a.all...)
	a.machines = a.pve.machines
	a.stack = newStack(t, "e2e-actions", a.sections())
	a.bundle, a.folder = filepath.Join(t.TempDir(), "bundle"), t.TempDir()
	a.must(a.run("cp", "-al", bundle, a.bundle))
	a.env = append(a.env, "STRATA_ARTIFACTS="+a.bundle)
	a.on(t, "", withContent(a.stateFolder()))
	t.Cleanup(func() { a.on(t, "", "umount -l "+a.stateFolder()) })
	a.must(a.up())
	a.must(a.health("--timeout", "2m"))
	return a
}

func (a *acted) sections() map[string]any {
	net := a.machines.net
	hosts := a.pve.hosts(nil, a.nodes()...)
	if a.labelled {
		hosts["nodes"].([]any)[1].(map[string]any)["labels"] = map[string]any{"changed": "yes"}
	}
	a.shop["env"] = map[string]any{"VERSION": fmt.Sprintf("v%d", a.version), "TAKES": "100ms"}
	return map[string]any{
		"hosts":   hosts,
		"metallb": map[string]any{"addresses": []any{net.pool()}},
		"traefik": map[string]any{"address": net.address(205)},
		"ingress": map[string]any{"domain": "platform.test"},
		"argocd":  map[string]any{"enabled": false},
		"apps":    map[string]any{"workloads": []any{a.shop}},
	}
}

// nodes returns the configured nodes.
func (a *acted) nodes() []node {
	return slices.DeleteFunc(slices.Clone(a.all),
		func(n node) bool { return n.name == "agent-2" && !a.grown })
}

// as runs do, and reports the failures of a's methods meanwhile to t.
func (a *acted) as(t *testing.T, do func()) {
	whole := a.t
	a.t, a.machines.t = t, t
	defer func() { a.t, a.machines.t = whole, whole }()
	do()
}

// on runs a script on a host, or on this machine.
func (a *acted) on(t *testing.T, host, script string) {
	t.Helper()
	if host != "" {
		a.machines.must(host, "set -eu\n"+script)
		return
	}
	result := a.run("sh", "-euc", script)
	require.NoError(t, result.err, "%s: %s", script, result.output)
}

// skippable is a frame that readers of zstd skip (RFC 8878, 3.1.2). At the end of a program, the
// kernel ignores it too.
var skippable = append([]byte{0x50, 0x2A, 0x4D, 0x18, 0xF8, 0x01, 0, 0}, make([]byte, 504)...)

// swap replaces a file of the bundle by its other variant, and returns the new checksum. One
// variant has skippable at its end.
func (a *acted) swap(t *testing.T, file string) string {
	path := filepath.Join(a.bundle, file)
	content, err := os.ReadFile(filepath.Join(bundle, file))
	require.NoError(t, err)
	now, err := os.Stat(path)
	require.NoError(t, err)
	if now.Size() == int64(len(content)) {
		content = append(content, skippable...)
	}
	require.NoError(t, os.Remove(path), "it is a link to the bundle's own")
	require.NoError(t, os.WriteFile(path, content, now.Mode().Perm()|0o200))
	sum := sumOf(t, path)
	a.editManifest(t, a.bundle, func(entry map[string]any) {
		if entry["path"] == file {
			entry["sha256"], entry["size"] = sum, len(content)
		}
	})
	return sum
}
