//go:build bench

package e2e

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/tests/bench"
)

// history is a platform on machines that Strata creates. It records the effects of random
// operations.
type history struct {
	*stack
	pve      *proxmox
	machines *hostSet
	random   *rand.Rand
	// all are the nodes of the complete configuration. changed has the names of the changes that
	// the present configuration contains.
	all     []node
	changed map[string]bool
	// snapshot is the file of a snapshot of the cluster with the present configuration; empty if
	// there is none.
	snapshot string
	// adrift is true after changes outside Pulumi, which an update without refresh ignores.
	adrift bool
	// secrets are texts that no output may contain.
	secrets []string
}

// operations are the steps of a program. A step that is listed twice is chosen twice as often.
var operations = []string{"up", "interrupt", "interrupt", "label", "pool", "agent-2", "lose",
	"delete", "edit", "snapshot", "restore", "two ups"}

// TestBenchHistories runs HISTORIES (20) random programs of two to five operations
// on one platform. SEED (1) selects the programs. After each program an update must succeed, a
// second one must change nothing, and no node or object may be lost (`make bench-histories`).
func TestBenchHistories(t *testing.T) {
	histories, seed := number(t, "HISTORIES", 20), number(t, "SEED", 1)
	h := &history{changed: map[string]bool{},
		all: []node{{"server-1", "server", 11}, {"agent-1", "agent", 21}, {"agent-2", "agent", 22}}}
	h.pve = newPVE(t, "e2e-histories", network{"sth0", "10.34.0"}, h.all...)
	h.machines = h.pve.machines
	h.stack = newStack(t, "e2e-histories", h.sections())
	h.must(h.up())
	h.learnSecrets(t)
	for number := range histories {
		h.random = rand.New(rand.NewPCG(uint64(seed), uint64(number))) // not a secret
		program, violated := h.draw(), 0
		if !t.Run(fmt.Sprintf("%d %s", number, strings.Join(program, ", ")),
			func(t *testing.T) { h.plays(t, number, program) }) {
			violated++
		}
		// The counts are written after each program, so that an aborted run keeps its results.
		require.NoError(t, bench.Tally(filepath.Join(root, "bench/results.json"), "lab/local",
			bench.Histories, number+1, violated))
		require.Zero(t, violated, "SEED=%d; what follows would be about what it left", seed)
	}
	h.must(h.destroy())
	h.nothingLeft(t, h.machines)
}

func (h *history) draw() []string {
	program := make([]string, 2+h.random.IntN(4))
	for i := range program {
		program[i] = operations[h.random.IntN(len(operations))]
	}
	return program
}

// plays runs the steps of a program. First it creates an object, which must exist from then on.
func (h *history) plays(t *testing.T, number int, program []string) {
	whole := h.t
	h.t, h.snapshot = t, ""
	defer func() { h.t = whole }()
	_, err := h.client().CoreV1().ConfigMaps("default").Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: writtenBy(number)},
			Data: map[string]string{"number": fmt.Sprint(number)}}, metav1.CreateOptions{})
	require.NoError(t, err)
	for _, operation := range program {
		t.Log(operation)
		h.does(t, operation)
	}
	h.holds(t, number)
}

func writtenBy(number int) string { return fmt.Sprintf("written-%d", number) }

func (h *history) does(t *testing.T, operation string) {
	switch operation {
	case "up":
		h.converge()
	case "interrupt":
		h.interrupts(t, interruptions[h.random.IntN(len(interruptions))], 20*time.Second)
	case "label", "pool", "agent-2":
		h.changed[operation], h.snapshot = !h.changed[operation], ""
		h.configure(h.sections())
	case "lose":
		h.loses(t)
	case "delete":
		h.kubectl([]string{"-n metallb-system delete l2advertisements --all",
			"delete clusterissuer strata",
			"-n traefik delete certificate traefik-tls"}[h.random.IntN(3)])
	case "edit":
		h.kubectl(`-n metallb-system patch $(k3s kubectl -n metallb-system get ipaddresspools -o name) --type=merge -p '{"spec":{"addresses":["10.34.0.220-10.34.0.230"]}}'`)
	case "snapshot":
		h.snapshots(t)
	case "restore":
		if h.snapshot != "" {
			h.bounded(h.run(strata, "restore", "--stack", h.name, "--file", h.snapshot, "--yes"))
			h.adrift = true
		}
	case "two ups":
		h.upsAtOnce(t)
	}
}
