package e2e

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// written is the name of objects that a user creates before a machine is replaced.
const written = "written-before"

// losesNoMachine changes the address of the hypervisor, which must replace no machine. Then it
// changes settings of existing machines, which Strata must refuse.
func (s *stack) losesNoMachine(t *testing.T, pve *proxmox, all ...node) {
	_, err := s.client().CoreV1().ConfigMaps("default").Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: written}}, metav1.CreateOptions{})
	require.NoError(t, err)
	before := s.boots(t)
	sections := pve.sections(nil, all...)
	hypervisorOf(sections)["address"] = "localhost"
	s.configure(sections)
	s.must(s.up())
	assert.Equal(t, before, s.boots(t), "no machine was touched")

	s.configure(pve.sections(map[string]any{"storage": "local"}, all...))
	s.refused(t, s.up(), "strata:hosts.proxmox.storage: agent-1 was made with local-lvm, and "+
		"local is asked for", "recreate: A-NEW-WORD")
	sections = pve.sections(nil, all...)
	for _, name := range []string{"server-2", "server-3"} {
		consent(sections, name, "both")
	}
	s.configure(sections)
	s.refused(t, s.up(), "machines server-2, server-3: one server may be made anew in a run")
	assert.Equal(t, before, s.boots(t), "no machine was touched")
}

// makesAServerAnew consents to the replacement of one server. Only its machine must be replaced,
// and the cluster's data must remain.
func (s *stack) makesAServerAnew(t *testing.T, pve *proxmox, all ...node) {
	before, node := s.boots(t), s.uid(t, "server-3")
	sections := pve.sections(nil, all...)
	consent(sections, "server-3", "disk-broken")
	s.configure(sections)
	r := s.must(s.up())
	assert.Contains(t, r.output, "machine server-3 is made anew (recreate: disk-broken)")
	after := s.boots(t)
	assert.NotEqual(t, before["server-3"], after["server-3"])
	delete(before, "server-3")
	delete(after, "server-3")
	assert.Equal(t, before, after, "the others go on")
	assert.NotEqual(t, node, s.uid(t, "server-3"), "it joined as a new node")
	_, err := s.client().CoreV1().ConfigMaps("default").Get(t.Context(), written,
		metav1.GetOptions{})
	require.NoError(t, err, "what was written before is there after")
	s.healthy()
	s.must(s.up("--expect-no-changes"))
}

func hypervisorOf(sections map[string]any) map[string]any {
	return sections["hosts"].(map[string]any)["hypervisor"].(map[string]any)
}

// consent adds a node's consent to replace its machine, with a word that identifies the consent.
func consent(sections map[string]any, name, word string) {
	for _, one := range sections["hosts"].(map[string]any)["nodes"].([]any) {
		if node := one.(map[string]any); node["name"] == name {
			node["recreate"] = word
		}
	}
}

// boots returns the process ids of the stack's machines by node. A reboot changes a machine's id.
func (s *stack) boots(t *testing.T) map[string]int {
	t.Helper()
	boots := map[string]int{}
	for _, machine := range allMachines(t) {
		if node, ours := strings.CutPrefix(machine.Name, "strata-"+s.name+"-"); ours {
			boots[node] = machine.Pid
		}
	}
	require.NotEmpty(t, boots)
	return boots
}

// listed is a machine in the output of `lab machines list`. Pid is the id of its process 1 on this
// machine; 0 if it does not run.
type listed struct {
	Name, State string
	Pid         int
}

func allMachines(t *testing.T) []listed {
	t.Helper()
	output, err := exec.Command(lab, "machines", "list", "--json").Output()
	require.NoError(t, err)
	var machines []listed
	require.NoError(t, json.Unmarshal(output, &machines))
	return machines
}

// uid returns a node's UID.
func (s *stack) uid(t *testing.T, name string) types.UID {
	t.Helper()
	node, err := s.client().CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	return node.UID
}
