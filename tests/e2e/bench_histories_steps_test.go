//go:build bench

package e2e

import (
	"encoding/base64"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
)

// commandsEndWithin is the timeout of each command. It is longer than any timeout of a gate.
const commandsEndWithin = 8 * time.Minute

// sections returns the configuration with the changes in h.changed.
func (h *history) sections() map[string]any {
	net, last := h.machines.net, "210"
	if h.changed["pool"] {
		last = "209"
	}
	hosts := h.pve.hosts(nil, h.nodes()...)
	if h.changed["label"] {
		hosts["nodes"].([]any)[1].(map[string]any)["labels"] = map[string]any{"changed": "yes"}
	}
	return map[string]any{
		"hosts": hosts,
		"metallb": map[string]any{"addresses": []any{net.prefix + ".200-" + net.prefix +
			"." + last}},
		"ingress": map[string]any{"controllers": []any{"traefik"}},
	}
}

// nodes returns the configured nodes.
func (h *history) nodes() []node {
	return slices.DeleteFunc(slices.Clone(h.all), func(n node) bool { return h.changed[n.name] })
}

// learnSecrets reads the secrets that no command may print.
func (h *history) learnSecrets(t *testing.T) {
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(h.output("kubeconfig")))
	require.NoError(t, err)
	key := string(config.KeyData)
	h.secrets = []string{strings.TrimSpace(h.machines.must("server-1",
		"cat /var/lib/rancher/k3s/server/token")), key,
		base64.StdEncoding.EncodeToString(config.KeyData)}
	for _, secret := range h.secrets {
		require.Greater(t, len(secret), 16)
	}
}

// bounded asserts that a command succeeded within commandsEndWithin and printed no secret.
func (h *history) bounded(r result) {
	h.must(r)
	h.quiet(r)
}

func (h *history) quiet(r result) {
	assert.Less(h.t, r.took, commandsEndWithin, r.line)
	for _, secret := range h.secrets {
		if strings.Contains(r.output, secret) { // an assertion would print the secret
			h.t.Errorf("%s says a secret", r.line)
		}
	}
}

// converge runs an update, with a refresh if objects were changed outside Pulumi.
func (h *history) converge() {
	h.unlock()
	if h.adrift {
		h.bounded(h.up("--refresh"))
		h.adrift = false
		return
	}
	h.bounded(h.up())
}

// interrupts starts an update and interrupts it at a random time within a duration.
func (h *history) interrupts(t *testing.T, how string, within time.Duration) {
	h.unlock()
	h.interrupted(t, how, time.Duration(h.random.Float64()*float64(within)), h.machines.net, "up")
}

// loses powers agent-1 off, kills an update meanwhile, and starts agent-1 again.
func (h *history) loses(t *testing.T) {
	h.machines.machineDo(t, "agent-1", "stop", "--hard")
	h.interrupts(t, "SIGKILL", 10*time.Second)
	h.machines.machineDo(t, "agent-1", "start")
}

func (h *history) kubectl(arguments string) {
	h.machines.must("server-1", "k3s kubectl "+arguments)
	h.adrift = true
}

func (h *history) snapshots(t *testing.T) {
	folder := t.TempDir()
	r := h.run(strata, "snapshot", "--stack", h.name, "--to", folder)
	h.bounded(r)
	found := snapshotName.FindStringSubmatch(r.output)
	require.NotNil(t, found, r.output)
	h.snapshot = filepath.Join(folder, found[1])
}

// upsAtOnce runs two updates at the same time. Either the state's lock refuses one of them, or they
// run one after the other.
func (h *history) upsAtOnce(t *testing.T) {
	h.unlock()
	var both sync.WaitGroup
	results := make([]result, 2)
	for i := range results {
		both.Go(func() { results[i] = h.up() })
	}
	both.Wait()
	for _, r := range results {
		h.quiet(r)
	}
	assert.True(t, results[0].err == nil || results[1].err == nil, "none ended well: %s\n%s",
		results[0].output, results[1].output)
	for _, r := range results {
		if r.err != nil {
			assert.Contains(t, r.output, "currently locked")
		}
	}
}

// holds asserts the invariants after each program: an update converges, gates are open, and nodes,
// machines and written objects are complete.
func (h *history) holds(t *testing.T, number int) {
	h.converge()
	h.bounded(h.up("--expect-no-changes"))
	h.bounded(h.health("--timeout", "2m"))
	wanted, client := names(h.nodes()), h.client()
	assert.ElementsMatch(t, wanted, nodeNames(t, client))
	running := h.machines.running(t)
	for _, n := range h.all {
		assert.Equal(t, slices.Contains(wanted, n.name),
			strings.Contains(running, h.machines.machine(n.name)+" "), n.name)
	}
	for i := range number + 1 {
		kept, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), writtenBy(i),
			metav1.GetOptions{})
		require.NoError(t, err)
		assert.NotEmpty(t, kept.Data)
	}
}
