package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote/sshtest"
)

// fakePulumi puts a stand-in of pulumi first in PATH, and returns the number of its calls so far.
// Each call exports the state, except the second, which fails. The third call asks for a list of
// stacks, but gets the state.
func fakePulumi(t *testing.T, state string) (calls func() int) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "state"), []byte(state), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pulumi"), []byte(`#!/bin/sh
cd "$(dirname "$0")" && echo >> calls
[ "$(wc -l < calls)" != 2 ] || { echo 'the backend is away' >&2; exit 1; }
cat state
`), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return func() int {
		text, err := os.ReadFile(filepath.Join(dir, "calls"))
		if err != nil {
			return 0
		}
		return bytes.Count(text, []byte("\n"))
	}
}

func TestHealthWritesMetricsEvenWhenGateIsNotOpen(t *testing.T) {
	server := sshtest.Start(t)
	file := filepath.Join(t.TempDir(), "strata.prom")
	for _, test := range []struct {
		state, sub, limit, want string
		code                    int
	}{
		{"active", "running", "20s", "} 1\n", 0},
		{"activating", "start", "500ms", "} 0\n", 1},
	} {
		server.Handler = unitAnswer(test.state, test.sub)
		fakePulumi(t, stateOf(t, server, gatesOfOneServer...))
		code, stdout, stderr := invoke(t, "", "health", "-s", "dev", "--project",
			project(t, oneServer), "--metrics", file, "--timeout", test.limit)
		assert.Equal(t, test.code, code, stdout+stderr)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Contains(t, string(text),
			`strata_gate_open{gate="k3s-server-1-gate",kind="server",layer="k3s",stack="dev"`+
				test.want)
		assert.Contains(t, string(text), `strata_health_timestamp_seconds{stack="dev"}`)
	}
}

func TestHealthLoopContinuesAfterFailedRound(t *testing.T) {
	server := sshtest.Start(t)
	server.Handler = unitAnswer("active", "running")
	calls := fakePulumi(t, stateOf(t, server, gatesOfOneServer...))
	file := filepath.Join(t.TempDir(), "strata.prom")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	root := newRoot()
	var stdout, stderr bytes.Buffer
	root.SetArgs([]string{"health", "-s", "dev", "--project", project(t, oneServer), "--metrics",
		file, "--every", "10ms"})
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx) }()
	require.Eventually(t, func() bool { return calls() >= 5 }, 30*time.Second, 10*time.Millisecond)
	cancel()
	require.NoError(t, <-ended)
	assert.Contains(t, stderr.String(), "the backend is away")
	assert.GreaterOrEqual(t, strings.Count(stdout.String(), "5 of 5 gates open"), 2)
	assert.FileExists(t, file)
}

func TestHealthRefusesMetricsWithGateFilter(t *testing.T) {
	code, _, stderr := invoke(t, "", "health", "-s", "dev", "--metrics", "x.prom", "--gate", "a")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "gate metrics")
}
