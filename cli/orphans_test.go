package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/hosts/inventory"
	"strata/actions/hosts/leftovers"
	"strata/config"
	"strata/internal/hypervisor"
	"strata/internal/pulumi/stackstate"
)

// stateWith returns a state with the machines of the given nodes.
func stateWith(t *testing.T, specs hypervisor.Specs, nodes ...string) *stackstate.State {
	t.Helper()
	resources := []string{`{"urn":"urn::image","type":"command:local:Command","inputs":{"create":"exec .strata/bin/strata vm image put","stdin":"{}"}}`}
	for _, spec := range specs {
		for _, node := range nodes {
			if spec.Node != node {
				continue
			}
			stdin, err := json.Marshal(spec)
			require.NoError(t, err)
			resources = append(resources,
				fmt.Sprintf(`{"urn":"urn::%s","type":"command:local:Command","inputs":{"create":"exec .strata/bin/strata vm create","stdin":%q}}`, node, stdin))
		}
	}
	state, err := stackstate.Parse([]byte(`{"deployment":{"resources":[` +
		strings.Join(resources, ",") + `]}}`))
	require.NoError(t, err)
	require.Len(t, state.Resources, 1+len(nodes))
	return state
}

// orphans returns the output of `strata orphans` for a stack's machines.
func (h *hypervisorStack) orphans(cfg *config.Config, state *stackstate.State) string {
	h.t.Helper()
	var out bytes.Buffer
	require.NoError(h.t, leftovers.ShowOrphans(h.t.Context(), &out, cfg, h.project, state))
	assert.NotContains(h.t, out.String(), "PRIVATE KEY")
	return out.String()
}

// typeIn runs the commands that a text tells the user to run on the hypervisor.
func (h *hypervisorStack) typeIn(text string) {
	h.t.Helper()
	typed := 0
	for line := range strings.Lines(text) {
		command := strings.TrimSpace(line)
		if strings.HasPrefix(command, "virsh ") || strings.HasPrefix(command, "qm ") ||
			strings.HasPrefix(command, "rm ") {
			output, err := exec.Command("sh", "-c", command).CombinedOutput()
			require.NoError(h.t, err, "%s: %s", command, output)
			typed++
		}
	}
	require.Positive(h.t, typed, text)
}

func TestOrphansReportsDomainMissingFromState(t *testing.T) {
	h := newHypervisorStack(t)
	h.write("domains/strata-dev-mail", "<domain/>")
	h.write("domains/strata-dev-2-server-1",
		`<domain><metadata><s:vm xmlns:s="urn:strata:vm:1" stack="dev-2" node="server-1" state="made"/></metadata></domain>`)
	h.write("volumes/strata-dev-image-0123456789ab.qcow2", "2147483648")
	cfg := h.configure("driver: libvirt\n    libvirt: {bridge: br0}", "10.10.0.21")
	h.up(cfg, hypervisor.Image{SHA256: "0123456789abcdef"}, "")
	specs := inventory.VMSpecs(cfg)
	assert.Empty(t, h.orphans(cfg, stateWith(t, specs, "server-1", "agent-1")),
		"the state knows both")

	text := h.orphans(cfg, stateWith(t, specs, "server-1"))
	assert.Contains(t, text, "this machine: domain strata-dev-agent-1 is this stack's node "+
		"agent-1, and the state does not know it")
	assert.Contains(t, text, "pulumi up --stack dev")
	assert.NotContains(t, text, "server-1", "it is in the state, or another stack's")
	assert.NotContains(t, text, "mail")
	h.typeIn(text)
	assert.NoFileExists(t, filepath.Join(h.dir, "domains/strata-dev-agent-1"))
	assert.NoFileExists(t, filepath.Join(h.dir, "volumes/strata-dev-agent-1.qcow2"))
	assert.FileExists(t, filepath.Join(h.dir, "domains/strata-dev-server-1"))
	assert.Empty(t, h.orphans(cfg, stateWith(t, specs, "server-1")))
}

func TestOrphansReportsHalfCreatedVM(t *testing.T) {
	h, server, hosts := onPVE(t)
	cfg := h.configure(hosts, "10.10.0.21")
	h.write("guests/105.json", `{"id": 105, "config": {"name": "strata-dev-agent-1", "description": "strata stack=dev node=agent-1 state=making"}}`)
	h.write("guests/106.json", `{"id": 106, "config": {"name": "strata-dev-old", "description": "strata stack=dev node=old state=made"}}`)

	text := h.orphans(cfg, &stackstate.State{})
	assert.Equal(t, 2, strings.Count(text, "is this stack's node"))
	assert.Contains(t, text, "hypervisor 127.0.0.1: VM 105 (strata-dev-agent-1) on node pve is "+
		"this stack's node agent-1")
	assert.Contains(t, text, "half made; to have it made anew: pulumi up --stack dev")
	assert.Equal(t, 1, strings.Count(text, "pulumi up"),
		"node old is not in the configuration: no up takes it over")
	for _, variable := range server.Env {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	h.typeIn(text)
	for _, id := range []string{"105", "106"} {
		assert.NoFileExists(t, filepath.Join(h.dir, "guests", id+".json"))
	}
	assert.FileExists(t, filepath.Join(h.dir, "guests/9000.json"))
}

func TestOrphansWorksWithoutStackFile(t *testing.T) {
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "pulumi"),
		[]byte("#!/bin/sh\necho '{\"deployment\":{}}'\n"), 0o700))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	code, stdout, stderr := invoke(t, "", "orphans", "--stack", "dev", "--project", t.TempDir())
	assert.Zero(t, code, stderr)
	assert.Contains(t, stdout, "every host in the state answers")
	assert.Contains(t, stderr, "were not searched for")
	assert.Contains(t, stderr, "--config-file")
}
