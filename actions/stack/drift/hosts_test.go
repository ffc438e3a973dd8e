package drift

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/hosts/hostrun"
	"strata/actions/hosts/push"
	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

// stateOf returns a state with the install and a push of each target.
func stateOf(t *testing.T, key []byte, targets ...remote.Target) *stackstate.State {
	t.Helper()
	resources := []string{`{"urn":"urn:pulumi:dev::strata::random:index/randomId:RandomId::k3s-cluster",` +
		`"type":"random:index/randomId:RandomId","outputs":{"hex":"00ff"}}`}
	add := func(name, verb string, input any) {
		stdin, err := json.Marshal(input)
		require.NoError(t, err)
		inputs, err := json.Marshal(map[string]any{
			"create": "exec .strata/bin/strata " + verb, "stdin": string(stdin),
			"environment": map[string]string{"STRATA_SSH_KEY": string(key)},
		})
		require.NoError(t, err)
		resources = append(resources, fmt.Sprintf(
			`{"urn":"urn:pulumi:dev::strata::command:local:Command::%s","type":"command:local:Command","inputs":%s}`,
			name, inputs))
	}
	for _, target := range targets {
		add("k3s-"+target.Name+"-claim", "host-run", hostrun.Input{Target: target})
		add("k3s-"+target.Name+"-install", "host-run", hostrun.Input{Target: target})
		add("k3s-"+target.Name+"-binary", "push", push.Input{Target: target, SHA256: "aa",
			Dest: "/var/lib/strata/k3s"})
		add("k3s-"+target.Name+"-images-0", "push", push.Input{Target: target, SHA256: "bb",
			Dest: "/var/lib/rancher/k3s/agent/images/core.tar"})
	}
	state, err := stackstate.Parse([]byte(`{"version":3,"deployment":{"resources":[` +
		strings.Join(resources, ",") + `]}}`))
	require.NoError(t, err)
	return state
}

func TestComparisonOfHostsReturnsEachDifference(t *testing.T) {
	server := sshtest.Start(t)
	script, output := "", ""
	server.Handler = func(call sshtest.Call) int {
		script = call.Script
		_, _ = io.WriteString(call.Stdout, output)
		return 0
	}
	target := server.Target()
	target.Name = "agent-1"
	state := stateOf(t, server.PrivateKey(), target)
	for line, want := range map[string]Difference{
		"": {},
		"install\tchanged\trunning\tcontent at 2026-11-28T03:00:00Z\t/etc/rancher/k3s/config.yaml": {
			Resource: "k3s-agent-1-install", Thing: "/etc/rancher/k3s/config.yaml on agent-1",
			Verdict: Changed, Evidence: "content at 2026-11-28T03:00:00Z"},
		"install\tmissing\t\t\t/usr/local/bin/k3s": {Resource: "k3s-agent-1-install",
			Thing: "/usr/local/bin/k3s on agent-1", Verdict: Missing},
		"install\tchanged\trunning\tcontent\t/usr/local/bin/k3s": {Resource: "k3s-upgrade",
			Thing: "/usr/local/bin/k3s on agent-1", Verdict: Changed, Evidence: "content"},
		"push\tmissing\t\t\t/var/lib/strata/k3s": {Resource: "k3s-agent-1-binary",
			Thing: "/var/lib/strata/k3s on agent-1", Verdict: Missing},
		"keepalived\tchanged\t\tis disabled\tunit keepalived": {
			Resource: "k3s-agent-1-keepalived", Thing: "unit keepalived on agent-1",
			Verdict: Changed, Evidence: "is disabled"},
		"install\textra\textra\twritten\t/etc/default/k3s": {
			Resource: "k3s-agent-1-install", Thing: "/etc/default/k3s on agent-1", Verdict: Extra,
			Evidence: "written", Kept: "Strata did not write it; on agent-1: rm /etc/default/k3s, " +
				"then systemctl daemon-reload and restart the unit"},
		"install\tchanged\towner\t\t/var/lib/strata/owner": {
			Resource: "k3s-agent-1-install", Thing: "/var/lib/strata/owner on agent-1",
			Verdict: Changed,
			Kept:    "no update changes another owner's host: strata owner -s STACK agent-1"},
		"keepalived\tmissing\tpackage\t\tunit keepalived": {
			Resource: "k3s-agent-1-keepalived", Thing: "unit keepalived on agent-1",
			Verdict: Missing, Kept: "Strata installs no package; on agent-1: apt-get install " +
				"keepalived, then run pulumi up"},
	} {
		output = line + "\n"
		found, unanswered, err := compareHosts(t.Context(), state)
		require.NoError(t, err)
		assert.Empty(t, unanswered)
		if line == "" {
			assert.Empty(t, found)
			continue
		}
		assert.Equal(t, []Difference{want}, found)
	}
	assert.Contains(t, script, "CLUSTER='00ff' NODE='agent-1' pushed='- - - - /var/lib/strata/k3s\n'")
}

func TestHostWithoutAnswerHasNoDifference(t *testing.T) {
	server := sshtest.Start(t)
	server.Handler = func(call sshtest.Call) int {
		_, _ = io.WriteString(call.Stdout, "install\tmissing\t\t\tunit k3s\nsecret\n")
		return 0
	}
	other := server.Target()
	other.Name, other.HostKey = "agent-2", sshtest.Start(t).HostKey()
	found, unanswered, err := compareHosts(t.Context(),
		stateOf(t, server.PrivateKey(), server.Target(), other))
	require.NoError(t, err)
	assert.Empty(t, found)
	require.Len(t, unanswered, 2)
	assert.EqualError(t, unanswered[0],
		"host-1: expected lines of 5 fields from the comparison, found others")
	assert.ErrorContains(t, unanswered[1], "agent-2: ")
}

func TestStateWithoutHostsHasNoDifference(t *testing.T) {
	found, unanswered, err := compareHosts(context.Background(), &stackstate.State{})
	require.NoError(t, err)
	assert.Empty(t, found)
	assert.Empty(t, unanswered)
}
