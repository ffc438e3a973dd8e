package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"strata/internal/pulumi/statelayout"
)

// network is the bridge and the subnet of a story. They differ from those of `make up`.
type network struct{ bridge, prefix string } // prefix such as 10.11.0

func (n network) subnet() string          { return n.prefix + ".0/24" }
func (n network) address(host int) string { return fmt.Sprintf("%s.%d", n.prefix, host) }
func (n network) pool() string            { return n.prefix + ".200-" + n.prefix + ".210" }

// node is one host of a story.
type node struct {
	name, role string
	host       int
}

// hostSet has the machines of a story. Most stand for existing hosts, which Strata reaches only
// over SSH.
type hostSet struct {
	t       *testing.T
	net     network
	story   string
	keyFile string
	nodes   []node
	// weight is the processor weight of each machine relative to those of other stories; zero means
	// the default.
	weight int
}

// own returns the set of machines whose names begin with story, which the story or Strata creates.
// Machines that exist now or when the test ends are deleted.
func own(t *testing.T, story string, net network, nodes ...node) *hostSet {
	t.Helper()
	l := &hostSet{t: t, net: net, story: story, nodes: nodes}
	l.delete()
	t.Cleanup(l.cleanUp)
	return l
}

// newLoginKey returns a new private key, made by `strata keygen` like a stack's login key.
func newLoginKey(t *testing.T) []byte {
	t.Helper()
	command := exec.Command(strata, "keygen")
	command.Env = append(os.Environ(), statelayout.Variable+"="+statelayout.Version)
	key, err := command.Output()
	require.NoError(t, err)
	return key
}

// existingHosts creates all machines in parallel, and deletes them when the test ends.
func existingHosts(t *testing.T, story string, net network, nodes ...node) *hostSet {
	t.Helper()
	l := own(t, story, net, nodes...)
	l.keyFile = filepath.Join(t.TempDir(), "key")
	key := newLoginKey(t)
	require.NoError(t, os.WriteFile(l.keyFile, key, 0o600))
	var all sync.WaitGroup
	failures := make([]error, len(nodes))
	for i, n := range nodes {
		all.Go(func() { failures[i] = l.create(n, key) })
	}
	all.Wait()
	for _, err := range failures {
		require.NoError(t, err)
	}
	return l
}

// create makes one machine.
func (l *hostSet) create(n node, key []byte) error {
	signer, err := ssh.ParsePrivateKey(key)
	if err != nil {
		return err
	}
	image, err := machineImage()
	if err != nil {
		return err
	}
	spec, err := json.Marshal(map[string]any{
		"name": l.machine(n.name), "hostname": n.name, "image": image.path,
		"imageSha256": image.sum,
		"bridge":      l.net.bridge, "subnet": l.net.subnet(), "address": l.net.address(n.host),
		"authorizedKey": string(ssh.MarshalAuthorizedKey(signer.PublicKey())),
	})
	if err != nil {
		return err
	}
	cmd := exec.Command(lab, "machines", "create")
	cmd.Stdin = bytes.NewReader(spec)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("machines create %s: %w: %s", n.name, err, output)
	}
	return l.weighOne(n)
}

// artifact is a file of the bundle.
type artifact struct{ path, sum string }

// machineImage returns the image of lab machines: that of the bundle, or the file in E2E_IMAGE, for
// another release of Debian (SUITE=trixie tests/lab/image/build.sh OUT.tar).
func machineImage() (artifact, error) {
	if path := os.Getenv("E2E_IMAGE"); path != "" {
		return artifactAt(path)
	}
	text, err := os.ReadFile(filepath.Join(bundle, "manifest.json"))
	if err != nil {
		return artifact{}, err
	}
	var manifest struct {
		Artifacts []struct{ Name, Path, SHA256 string }
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		return artifact{}, err
	}
	for _, a := range manifest.Artifacts {
		if a.Name == "machine-image" {
			return artifact{filepath.Join(bundle, a.Path), a.SHA256}, nil
		}
	}
	return artifact{}, fmt.Errorf("no machine-image in %s", bundle)
}

// artifactAt returns a file that no manifest lists, with its checksum.
func artifactAt(path string) (artifact, error) {
	file, err := os.Open(path)
	if err != nil {
		return artifact{}, err
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return artifact{}, err
	}
	return artifact{path, hex.EncodeToString(sum.Sum(nil))}, nil
}

func (l *hostSet) machine(name string) string { return l.story + "-" + name }

// on runs a script on a machine, without SSH, and returns its output.
func (l *hostSet) on(name, script string) (string, error) {
	output, err := exec.Command(lab, "machines", "exec", l.machine(name), "--", "bash", "-c",
		script).CombinedOutput()
	return string(output), err
}

func (l *hostSet) must(name, script string) string {
	l.t.Helper()
	output, err := l.on(name, script)
	require.NoError(l.t, err, "%s on %s: %s", script, name, output)
	return output
}

// cleanUp deletes the machines, unless the test failed and E2E_KEEP is set.
func (l *hostSet) cleanUp() {
	if l.t.Failed() {
		l.dump()
		if os.Getenv("E2E_KEEP") != "" {
			l.t.Logf("kept: %s machines list; %s machines exec %s -- bash", lab, lab,
				l.machine(l.nodes[0].name))
			return
		}
	}
	l.delete()
}

func (l *hostSet) delete() {
	output, err := exec.Command(lab, "machines", "delete", "--all", "--prefix",
		l.story+"-").CombinedOutput()
	require.NoError(l.t, err, "%s", output)
}

// journal prints the end of K3s's log on a host. It omits the stack traces of panics, retries of
// etcd's client, and lines that every healthy server logs: refused dry runs of gates, and requests
// that its proxy forwards.
const journal = `journalctl --no-pager -o short-precise -u 'k3s*' -n 400 |
  grep -vE '"logger":"etcd-client"|rejected by webhook|no RequestInfo found|"Unhandled Error"|HasDedicatedImageFs|k3s\[[0-9]+\]: (\s|[a-z.]+/\S+\()' |
  tail -15 | cut -c1-250`

// ends prints the last lines of each K3s that ended by itself, in the formats of klog and logrus.
const ends = `journalctl --no-pager -o short-precise -u 'k3s*' |
  grep -E 'k3s\[[0-9]+\]: (F[0-9]{4} |panic:|fatal error:)|level=fatal|Main process exited' | tail -10 | cut -c1-400`

// restarts prints the restarted containers, the way in which each ended, and failed probes.
const restarts = `k3s kubectl get pods -A -o jsonpath='{range .items[*]}{range .status.containerStatuses[?(@.restartCount>0)]}{.name}{" "}{.lastState.terminated}{"\n"}{end}{end}'
  k3s kubectl get events -A --field-selector reason=Unhealthy | tail -20`

// dump logs the state of the hosts after a failed story.
func (l *hostSet) dump() {
	for _, n := range l.nodes {
		output, _ := l.on(n.name, `systemctl --no-pager -n 0 status 'k3s*' | head -3; `+ends+`; `+
			journal)
		l.t.Logf("--- %s\n%s", n.name, output)
	}
	if n := l.nodes[0]; n.role == "server" {
		output, _ := l.on(n.name, `k3s kubectl get nodes,pods -A -o wide; `+restarts+
			`; k3s kubectl get events -A --sort-by=.metadata.creationTimestamp | tail -30`)
		l.t.Logf("--- cluster\n%s", output)
	}
}

// serverNodes returns the hosts of the API servers.
func (l *hostSet) serverNodes() []node {
	return slices.DeleteFunc(slices.Clone(l.nodes), func(n node) bool { return n.role != "server" })
}

// hosts returns the configuration section that gives the machines to Strata as existing hosts.
func (l *hostSet) hosts(nodes ...node) map[string]any {
	return map[string]any{
		"driver": "existing", "subnet": l.net.subnet(), "nodes": l.list(nodes...),
		"ssh": map[string]any{"user": "strata", "keyFile": l.keyFile},
	}
}

// list returns the nodes as a value of the key hosts.nodes.
func (l *hostSet) list(nodes ...node) []any {
	list := []any{}
	for _, n := range nodes {
		list = append(list, map[string]any{"name": n.name, "role": n.role,
			"address": l.net.address(n.host)})
	}
	return list
}
