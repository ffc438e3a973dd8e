package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
)

// airgap is a story that makes a bundle on a machine with network access, and uses the bundle on a
// machine without network access.
type airgap struct {
	*stack
	hosts *hostSet
	dir   string // the bundle
	home  string // the home directory of the user without network access
	// space is a network namespace with one address in the hosts' network and no default route.
	space string
}

// The story makes a bundle from a mirror and a registry. Then it brings up a platform with the
// bundle in a network namespace without a default route, as docs/air-gap.md describes.
func TestAirGappedStackComesUpFromBundle(t *testing.T) {
	t.Parallel()
	net := network{"stq0", "10.41.0"}
	all := []node{{"server-1", "server", 11}, {"agent-1", "agent", 21}}
	a := &airgap{hosts: existingHosts(t, "e2eq", net, all...),
		dir: filepath.Join(t.TempDir(), "bundle"), home: t.TempDir(), space: "strata-" + net.bridge}
	upstream := serveUpstream(t)
	sections := platform(a.hosts, all...)
	sections["argocd"] = map[string]any{"enabled": false}
	sections["apps"] = map[string]any{"workloads": []any{quickShop()}}
	for section, versions := range upstream.versions {
		given, _ := sections[section].(map[string]any)
		sections[section] = merged(versions, given)
	}
	sections["artifacts"] = map[string]any{"mirror": upstream.address, "mirrorCA": upstream.ca}
	sections["k3s"] = merged(sections["k3s"].(map[string]any), map[string]any{"registries": []any{
		map[string]any{"name": "*", "mirrors": []any{upstream.address}},
		map[string]any{"name": strings.TrimPrefix(upstream.address, "https://"), "ca": upstream.ca},
	}})
	a.stack = newStack(t, "e2e-airgap", sections)
	a.step("a machine with network access makes the bundle",
		func(t *testing.T) { a.isMade(t, upstream) })
	a.isolate(t)
	a.step("an update without network access succeeds with the bundle",
		func(t *testing.T) { a.comesUp(t, upstream) })
	a.step("destroy", func(*testing.T) {
		a.must(a.there("pulumi destroy --yes --skip-preview --non-interactive"))
	})
}

// isMade makes the bundle twice, and asserts that the second run downloads nothing.
func (a *airgap) isMade(t *testing.T, upstream *upstream) {
	lock := filepath.Join(a.project(t), artifacts.LockFile)
	arguments := []string{"bundle", "make", a.dir, "--stack", a.name, "--config-file", a.config,
		"--project", a.project(t)}
	r := a.must(a.run(strata, arguments...))
	manifest, err := artifacts.ReadManifest(a.dir)
	require.NoError(t, err)
	origins := map[string]string{}
	for _, entry := range manifest.Artifacts {
		origins[entry.Path] = entry.Origin
		assert.NotContains(t, entry.Origin, upstream.address,
			"an origin is upstream's, whatever the mirror")
	}
	assert.Regexp(t, `^real: docker\.io/library/traefik:\S+@sha256:[0-9a-f]{64}$`,
		origins[onlyPath(t, origins, "images/docker.io-library-traefik")])
	assert.Regexp(t, `^real: tests/lab/tools/testserver$`,
		origins[onlyPath(t, origins, "images/docker.io-strata-testserver")])
	for _, wanted := range []string{"images/quay.io-metallb-speaker", "images/quay.io-jetstack-cert-manager-webhook", "images/docker.io-strata-cert-wait", "pulumi/bin/pulumi-language-go", "files/k3s-v"} {
		onlyPath(t, origins, wanted)
	}
	text, err := os.ReadFile(lock)
	require.NoError(t, err)
	assert.Contains(t, string(text), "docker://docker.io/library/traefik:", "the digest is locked")
	a.refused(t, a.run(strata, "bundle", "make", a.home+"/..", "--stack", a.name, "--config-file",
		a.config, "--project", a.project(t)), "is not empty")
	upstream.requests.Store(0)
	r = a.must(a.run(strata, arguments...))
	assert.NotContains(t, r.output, "downloading")
	assert.Zero(t, upstream.requests.Load(), "all was there already\n%s", r.output)
}

// project copies the sources of the checkout to a folder of the test, because `strata bundle make`
// writes a lock file into the project.
func (a *airgap) project(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(a.stack.dir, "project")
	if _, err := os.Stat(dir); err != nil {
		require.NoError(t, os.MkdirAll(dir, 0o755))
		a.must(a.run("sh", "-euc", `git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents --target-directory "$0"; rm -f "$0/strata.lock"`, dir))
	}
	return dir
}

// onlyPath returns the only path with a prefix, and fails the test if there are more or none.
func onlyPath(t *testing.T, paths map[string]string, prefix string) string {
	t.Helper()
	var found []string
	for path := range paths {
		if strings.HasPrefix(path, prefix) {
			found = append(found, path)
		}
	}
	require.Len(t, found, 1, "%s in %v", prefix, paths)
	return found[0]
}

// isolate creates the network namespace and connects it to the hosts' bridge. It also copies the
// folder that the lab's Pulumi needs for its language host; upstream's Pulumi needs no such folder.
func (a *airgap) isolate(t *testing.T) {
	t.Helper()
	script := fmt.Sprintf(`ip netns add %[1]s
ip link add %[1]s type veth peer name eth0 netns %[1]s
ip link set %[1]s master %[2]s up
ip -n %[1]s link set lo up
ip -n %[1]s link set eth0 up
ip -n %[1]s address add %[3]s/24 dev eth0`, a.space, a.hosts.net.bridge, a.hosts.net.address(9))
	remove := func() { a.run("ip", "netns", "delete", a.space) } // deletes both ends of the veth pair
	remove()
	t.Cleanup(remove)
	a.must(a.run("sh", "-euc", script))
	a.must(a.run("cp", "-a", filepath.Join(pulumiHome, "lib"),
		filepath.Join(a.dir, "pulumi", "lib")))
}

// there runs a script in the bundle's project, inside the namespace, with an empty environment.
func (a *airgap) there(script string) result {
	return a.run("ip", "netns", "exec", a.space, "env", "-i", "HOME="+a.home,
		"PATH=/usr/sbin:/usr/bin:/sbin:/bin",
		"PULUMI_BACKEND_URL=file://"+a.home, "PULUMI_CONFIG_PASSPHRASE="+passphrase,
		"PULUMI_STACK="+a.name,
		"sh", "-euc", `cd "$0"; eval "$(./env)"; cd project; `+script, a.dir)
}

func (a *airgap) comesUp(t *testing.T, upstream *upstream) {
	a.must(a.there("cd .. && sha256sum --check --quiet SHA256SUMS && strata bundle verify ."))
	a.must(a.there("! go list -m && ! ip route get 192.0.2.1")) // no compiler and no route
	a.refused(t, a.there("strata fetch --project ."), "connection refused")
	a.must(a.there("pulumi stack select --create " + a.name))
	a.must(a.there("strata preflight --stack " + a.name))
	upstream.requests.Store(0)
	up := a.must(a.there("pulumi up --yes --skip-preview --non-interactive"))
	assert.NotContains(t, up.output, "downloading")
	a.must(a.there("pulumi up --yes --skip-preview --non-interactive --expect-no-changes"))
	a.must(a.there("strata health --stack " + a.name))
	assert.Zero(t, upstream.requests.Load(), "something asked upstream")
	a.pulledNothing(t)
}

// pulledNothing asserts that no node pulled an image, by the events: a kubelet writes one for each
// pull.
func (a *airgap) pulledNothing(t *testing.T) {
	var events struct {
		Items []struct{ Reason, Message string }
	}
	text := a.hosts.must("server-1", "k3s kubectl get events -A -o json")
	require.NoError(t, json.Unmarshal([]byte(text), &events))
	seen := map[string]int{}
	for _, event := range events.Items {
		seen[event.Reason]++
		assert.NotEqual(t, "Pulling", event.Reason, event.Message)
	}
	assert.Positive(t, seen["Pulled"], "the test looks for the wrong reason")
}
