package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote/sshtest"
)

// oneServer is the smallest stack file: one host, and no layer except K3s.
const oneServer = `config:
  strata:hosts:
    driver: existing
    subnet: 10.10.0.0/24
    nodes: [{name: server-1, role: server, address: 10.10.0.11}]
  strata:metallb: {enabled: false}
  strata:certManager: {enabled: false}
  strata:ingress: {controllers: []}
  strata:argocd: {enabled: false}
`

// environment is the line of a stack file that takes values from Pulumi ESC.
const environment = "environment: [shared/dev]\n"

// gatesOfOneServer lists the names of oneServer's gates.
var gatesOfOneServer = []string{"hosts-server-1-gate", "k3s-server-1-gate", "k3s-api", "k3s-nodes",
	"k3s-system"}

// project makes a folder with the file of stack dev.
func project(t *testing.T, stackFile string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"),
		[]byte(stackFile), 0o600))
	return dir
}

// After a failed update, the state has only the gates that opened before the failure. So open gates
// alone do not show that the platform works.
func TestHealthReportsMissingGatesAfterFailedUpdate(t *testing.T) {
	server := sshtest.Start(t)
	server.Handler = unitAnswer("active", "running")
	fakePulumi(t, stateOf(t, server, "k3s-server-1-gate"))
	code, stdout, stderr := invoke(t, "", "health", "-s", "dev", "--project", project(t, oneServer))
	assert.Equal(t, 1, code, stdout+stderr)
	assert.Contains(t, stdout, "1 of 5 gates open, 4 missing")
	for _, gate := range slices.DeleteFunc(slices.Clone(gatesOfOneServer), func(gate string) bool { return gate == "k3s-server-1-gate" }) {
		assert.Regexp(t, gate+" +Missing", stdout)
	}
	assert.Less(t, strings.Index(stdout, "hosts-server-1-gate"),
		strings.Index(stdout, "k3s-server-1-gate"), "in the program's order")

	fakePulumi(t, stateOf(t, server, gatesOfOneServer...))
	code, stdout, stderr = invoke(t, "", "health", "-s", "dev", "--project", project(t, oneServer))
	assert.Equal(t, 0, code, stdout+stderr)
	assert.Contains(t, stdout, "\n5 of 5 gates open\n")
	assert.NotContains(t, stdout, "missing")
	assert.NotContains(t, stdout, "left over")
}

// pulumiWithout puts a stand-in of pulumi first in PATH, whose stack dev has the given state. If
// the state is empty, there is no stack dev.
func pulumiWithout(t *testing.T, state string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "state"), []byte(state), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pulumi"), []byte(`#!/bin/sh
case "$*" in *"stack ls"*) echo '[{"name":"other"}]'; exit 0;; esac
[ -s "$(dirname "$0")/state" ] || { echo "error: no stack named 'dev' found" >&2; exit 255; }
cat "$(dirname "$0")/state"
`), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

func TestHealthReportsAllGatesMissingBeforeFirstUpdate(t *testing.T) {
	for name, state := range map[string]string{"no stack": "", "no update": `{"version":3,"deployment":null}`} {
		t.Run(name, func(t *testing.T) {
			pulumiWithout(t, state)
			code, stdout, stderr := invoke(t, "", "health", "-s", "dev", "--project",
				project(t, oneServer))
			assert.Equal(t, 1, code, stdout+stderr)
			assert.Contains(t, stdout, "0 of 5 gates open, 5 missing")
			assert.Contains(t, stdout, "pulumi up -s dev")
		})
	}
}

func TestHealthFailsWithoutReadableStackFile(t *testing.T) {
	server := sshtest.Start(t)
	file := filepath.Join(t.TempDir(), "strata.prom")
	for name, test := range map[string]struct {
		stackFile, unit string
		code            int
		says            string
	}{
		"no file":                    {"", "active", 2, "Pulumi.other.yaml"},
		"no file, and a closed gate": {"", "activating", 1, "Pulumi.other.yaml"},
		"invalid file": {"config: {strata:hosts: {drvier: existing}}", "active", 2,
			"strata:hosts.drvier"},
		"encrypted section": {oneServer + "  strata:apps: {secure: v1:hunter2}\n",
			"active", 2, "strata:apps: is encrypted"},
		"environment of Pulumi ESC": {oneServer + environment, "active", 2,
			"environment: has values of Pulumi ESC"},
	} {
		t.Run(name, func(t *testing.T) {
			server.Handler = unitAnswer(test.unit,
				map[string]string{"active": "running", "activating": "start"}[test.unit])
			limit := map[string]string{"active": "20s", "activating": "500ms"}[test.unit]
			fakePulumi(t, stateOf(t, server, "k3s-server-1-gate"))
			stack := filepath.Join(project(t, test.stackFile), "Pulumi.dev.yaml")
			if test.stackFile == "" {
				stack = filepath.Join(t.TempDir(), "Pulumi.other.yaml")
			}
			code, stdout, stderr := invoke(t, "", "health", "-s", "dev", "--config-file", stack,
				"--metrics", file, "--timeout", limit)
			assert.Equal(t, test.code, code, stdout+stderr)
			assert.Contains(t, stdout, "of the 1 gates that the state has open")
			assert.NotContains(t, stdout, "1 of 1 gates")
			assert.Contains(t, stderr, "which gates the configuration asks for is unknown")
			assert.Contains(t, stderr, test.says)
			assert.Contains(t, stderr, "--config-file")
			assert.NotContains(t, stderr+stdout, "hunter2")
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Contains(t, string(text), `strata_health_complete{stack="dev"} 0`)
		})
	}
}

func TestHealthReportsLeftoverGatesAfterConfigurationChange(t *testing.T) {
	server := sshtest.Start(t)
	server.Handler = unitAnswer("active", "running")
	fakePulumi(t, stateOf(t, server, "k3s-server-2-gate"))
	dir := project(t, oneServer)
	code, stdout, stderr := invoke(t, "", "health", "-s", "dev", "--project", dir)
	assert.Equal(t, 1, code, stdout+stderr)
	assert.Contains(t, stdout, "left over: k3s-server-2-gate\n")
	assert.Contains(t, stdout, "missing: hosts-server-1-gate, k3s-server-1-gate, k3s-api, k3s-nodes, k3s-system\n")
	assert.Contains(t, stdout, "1 of 6 gates open, 5 missing")

	fakePulumi(t, stateOf(t, server, "k3s-server-2-gate"))
	_, stdout, _ = invoke(t, "", "health", "-s", "dev", "--project", dir, "--json")
	var gates []map[string]any
	require.NoError(t, json.Unmarshal([]byte(stdout), &gates))
	require.Len(t, gates, 6)
	assert.Equal(t, "Missing", gates[0]["state"])
	assert.Equal(t, "missing", gates[0]["ending"])
	assert.Equal(t, "k3s-server-2-gate", gates[5]["gate"])
	assert.Equal(t, true, gates[5]["leftOver"])
}

func TestHealthWithGateFlagFailsForMissingOrUnknownGate(t *testing.T) {
	server := sshtest.Start(t)
	server.Handler = unitAnswer("active", "running")
	for gate, want := range map[string]struct {
		code int
		says string
	}{
		"k3s-server-1-gate": {0, "1 of 1 gates open"},
		"k3s-nodes":         {1, "0 of 1 gates open, 1 missing"},
		"k3s-nodse":         {2, "no gate is called k3s-nodse"},
	} {
		fakePulumi(t, stateOf(t, server, "k3s-server-1-gate"))
		code, stdout, stderr := invoke(t, "", "health", "-s", "dev", "--project",
			project(t, oneServer), "--gate", gate)
		assert.Equal(t, want.code, code, stdout+stderr)
		assert.Contains(t, stdout+stderr, want.says)
	}
	fakePulumi(t, stateOf(t, server, "k3s-server-1-gate"))
	code, stdout, stderr := invoke(t, "", "health", "-s", "dev", "--project", t.TempDir(), "--gate",
		"k3s-server-1-gate")
	assert.Equal(t, 0, code, "what it asks for needs no configuration: "+stderr)
	assert.Contains(t, stdout, "1 of 1 gates open")
}
