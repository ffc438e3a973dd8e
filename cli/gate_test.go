package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/internal/ssh/remote/sshtest"
)

// invoke runs a subcommand as the engine does, and returns its exit code and output.
func invoke(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = Run(args, strings.NewReader(stdin), &out, &err)
	return code, out.String(), err.String()
}

// agentSpec returns the Spec of a gate that checks an agent's K3s unit on the server.
func agentSpec(t *testing.T, server *sshtest.Server, timeout string) string {
	t.Helper()
	target, err := json.Marshal(server.Target())
	require.NoError(t, err)
	host := strings.TrimSuffix(string(target), "}") + `,"role":"agent"}`
	return fmt.Sprintf(`{"kind":"server","gate":"agent-1-gate","layer":"k3s","timeout":%q,"timeoutKey":"strata:timeouts.api","hosts":[%s]}`, timeout, host)
}

func unitAnswer(state, sub string) sshtest.Handler {
	return func(call sshtest.Call) int {
		_, _ = fmt.Fprintf(call.Stdout, "LoadState=loaded\nActiveState=%s\nSubState=%s\nNRestarts=0\nend\n", state, sub)
		<-call.Gone
		return 0
	}
}

func TestGateExitsWithZeroWhenReadyAndOneOnTimeout(t *testing.T) {
	server := sshtest.Start(t)
	t.Setenv("STRATA_SSH_KEY", string(server.PrivateKey()))
	server.Handler = unitAnswer("active", "running")
	code, stdout, _ := invoke(t, agentSpec(t, server, "20s"), "gate")
	assert.Equal(t, 0, code)
	var result health.Result
	require.NoError(t, json.Unmarshal([]byte(stdout), &result))
	assert.Equal(t, health.Ready, result.State)
	assert.Equal(t, 1, strings.Count(stdout, "\n"), "one JSON line")

	server.Handler = unitAnswer("activating", "start")
	code, stdout, stderr := invoke(t, agentSpec(t, server, "300ms"), "gate")
	assert.Equal(t, 1, code)
	assert.Contains(t, stdout, `"ending":"timeout"`)
	assert.Contains(t, stderr, "timed out after")
	assert.Contains(t, stderr, "strata:timeouts.api is 300ms")
}

func TestGateRefusesInvalidSpec(t *testing.T) {
	for _, spec := range []string{"", "{}", `{"kind":"nosuch"}`, `{"kind":"host","typo":1}`} {
		code, stdout, stderr := invoke(t, spec, "gate")
		assert.Equal(t, 2, code, spec)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, "gate cannot be asked")
	}
}

func TestHostKeyPrintsScannedHostKey(t *testing.T) {
	server := sshtest.Start(t)
	code, stdout, stderr := invoke(t, fmt.Sprintf(
		`{"address":"127.0.0.1","port":%d,"timeout":"20s"}`, server.Target().Port), "hostkey")
	assert.Equal(t, 0, code, stderr)
	assert.Equal(t, server.HostKey()+"\n", stdout)
	code, _, stderr = invoke(t, `{"address":"127.0.0.1"}`, "hostkey")
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "positive timeout")
}

func TestPushPrintsChecksumAndSkipsExistingFile(t *testing.T) {
	server := sshtest.Start(t)
	t.Setenv("STRATA_SSH_KEY", string(server.PrivateKey()))
	dir := t.TempDir()
	file, dest := filepath.Join(dir, "file"), filepath.Join(dir, "dest")
	require.NoError(t, os.WriteFile(file, []byte("k3s"), 0o600))
	digest := sha256.Sum256([]byte("k3s"))
	sum := hex.EncodeToString(digest[:])
	target, err := json.Marshal(server.Target())
	require.NoError(t, err)
	input := fmt.Sprintf(`{"target":%s,"file":%q,"sha256":%q,"dest":%q,"mode":"0755","timeout":"20s"}`, target, file, sum, dest)
	for _, output := range []string{"", "host-1 has " + dest + " already\n"} {
		code, stdout, stderr := invoke(t, input, "push")
		assert.Equal(t, 0, code, stderr)
		assert.Equal(t, sum+"\n", stdout)
		assert.Equal(t, output, stderr)
	}
	code, _, stderr := invoke(t, strings.Replace(input, sum, strings.Repeat("0", 64), 1), "push")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "expected sha256 0000")
}

// stateOf returns an exported state. It has a gate of each name with the Spec of agentSpec, and
// resources that are no gates.
func stateOf(t *testing.T, server *sshtest.Server, gates ...string) string {
	t.Helper()
	quoted, err := json.Marshal(string(server.PrivateKey()))
	require.NoError(t, err)
	plaintext, err := json.Marshal(string(quoted))
	require.NoError(t, err)
	secret := fmt.Sprintf(`{"%s":"%s","plaintext":%s}`, sig.Key, sig.Secret, plaintext)
	var resources strings.Builder
	for _, gate := range gates {
		spec, err := json.Marshal(strings.Replace(agentSpec(t, server, "10m"), "agent-1-gate",
			gate, 1))
		require.NoError(t, err)
		fmt.Fprintf(&resources, `{"urn":"a","type":"command:local:Command","inputs":{"create":"exec .strata/bin/strata gate","stdin":%s,"environment":{"STRATA_SSH_KEY":%s}}},`, spec, secret)
	}
	return fmt.Sprintf(`{"version":3,"deployment":{"resources":[%s
		{"urn":"b","type":"command:local:Command","inputs":{"create":"exec .strata/bin/strata push","stdin":"{}"}},
		{"urn":"c","type":"command:local:Command","delete":true,"inputs":{"create":"exec .strata/bin/strata gate","stdin":"old"}},
		{"urn":"d","type":"pulumi:pulumi:Stack"}]}}`, resources.String())
}
