package recovery

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/pulumi/stackstate"
)

// bench is a project with a file backend and a Pulumi command line that answers from a fixture.
type bench struct {
	Recovery
	log      bytes.Buffer
	lockDir  string
	state    string
	imported []byte
	calls    []string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	backend := t.TempDir()
	b := &bench{lockDir: filepath.Join(backend, ".pulumi/locks/organization/strata/local")}
	require.NoError(t, os.MkdirAll(b.lockDir, 0o755))
	b.Recovery = Recovery{ProjectDir: t.TempDir(), Stack: "local", Log: &b.log}
	b.Pulumi = func(_ context.Context, stdin []byte, args ...string) ([]byte, error) {
		call := strings.Join(args, " ")
		b.calls = append(b.calls, call)
		switch {
		case args[0] == "whoami":
			return fmt.Appendf(nil, `{"user":"root","url":"file://%s"}`, backend), nil
		case strings.HasPrefix(call, "stack export") && b.state == "":
			return nil, fmt.Errorf("pulumi stack export: no stack named 'local' found")
		case strings.HasPrefix(call, "stack export"):
			return []byte(b.state), nil
		case strings.HasPrefix(call, "stack import"):
			b.imported = stdin
			return nil, nil
		}
		return nil, fmt.Errorf("unexpected call: pulumi %s", call)
	}
	return b
}

func (b *bench) lock(t *testing.T, pid int, hostname string, at time.Time) string {
	t.Helper()
	text, err := json.Marshal(lock{PID: pid, Username: "root", Hostname: hostname, Timestamp: at})
	require.NoError(t, err)
	file := filepath.Join(b.lockDir, fmt.Sprintf("%d.json", pid))
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return file
}

// saw records that a process ran on a machine, and the time at which it began.
func (b *bench) saw(t *testing.T, pid int, machine string, at time.Time) {
	t.Helper()
	text, err := json.Marshal(run{PID: pid, Started: at, Machine: machine})
	require.NoError(t, err)
	file := runFile(b.ProjectDir, pid)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, text, 0o600))
}

func fixture(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/interrupted.json")
	require.NoError(t, err)
	return string(text)
}

func hostname(t *testing.T) string {
	t.Helper()
	name, err := os.Hostname()
	require.NoError(t, err)
	return name
}

// deadPID returns the PID of an ended process.
func deadPID(t *testing.T) int {
	t.Helper()
	command := exec.Command("true")
	require.NoError(t, command.Run())
	return command.Process.Pid
}

func TestLockOfDeadProcessIsRemoved(t *testing.T) {
	b := newBench(t)
	pid := deadPID(t)
	b.saw(t, pid, machine(), time.Now())
	file := b.lock(t, pid, hostname(t), time.Now())
	_, err := b.Run(t.Context())
	require.NoError(t, err)
	assert.NoFileExists(t, file)
	assert.NoFileExists(t, runFile(b.ProjectDir, pid))
	assert.Contains(t, b.log.String(), "removed the lock of root@")
}

// Two machines may have the same host name: a cloned virtual machine, a container, or laptops with
// the default name.
func TestLockWithoutLocalRunRecordIsNotRemoved(t *testing.T) {
	now := time.Now()
	for name, see := range map[string]func(t *testing.T, b *bench, pid int){
		"no record": func(*testing.T, *bench, int) {},
		"a run of another boot or container": func(t *testing.T, b *bench, pid int) {
			b.saw(t, pid, "elsewhere", now)
		},
		"a much earlier run with the same PID": func(t *testing.T, b *bench, pid int) {
			b.saw(t, pid, machine(), now.Add(-time.Hour))
		},
		"a run that began after the lock": func(t *testing.T, b *bench, pid int) {
			b.saw(t, pid, machine(), now.Add(time.Minute))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, pid := newBench(t), deadPID(t)
			see(t, b, pid)
			file := b.lock(t, pid, hostname(t), now)
			_, err := b.Run(t.Context())
			require.ErrorIs(t, err, ErrOwned)
			assert.ErrorContains(t, err,
				"another machine may have the same name; if no run of the stack lives anywhere, `pulumi cancel`")
			assert.FileExists(t, file)
		})
	}
}

func TestRunRecordProvesThatLockIsOfThisMachine(t *testing.T) {
	require.NotEmpty(t, machine())
	dir := t.TempDir()
	require.NoError(t, NoteRun(dir, os.Getpid()))
	assert.True(t, lock{PID: os.Getpid(), Timestamp: time.Now()}.isFromHere(dir))
	assert.Error(t, NoteRun(dir, deadPID(t)))
	require.NoError(t, NoteParent(dir), "no Pulumi runs this test")
}

func TestLockIsRemovedWhenPIDWasReused(t *testing.T) {
	b := newBench(t)
	b.saw(t, os.Getpid(), machine(), time.Now().Add(-24*time.Hour))
	file := b.lock(t, os.Getpid(), hostname(t), time.Now().Add(-24*time.Hour))
	_, err := b.Run(t.Context())
	require.NoError(t, err)
	assert.NoFileExists(t, file)
}

func TestRecoveryStopsWhileLockOwnerMayRun(t *testing.T) {
	cases := []struct {
		name, host string
		pid        func(*testing.T) int
		wantErr    string
	}{
		{"running here", "", func(*testing.T) int { return os.Getpid() }, "its owner is running"},
		{"on another host", "elsewhere", deadPID, "only elsewhere can tell"},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
			b.state = fixture(t)
			host := test.host
			if host == "" {
				host = hostname(t)
			}
			live := b.lock(t, test.pid(t), host, time.Now())
			dead := b.lock(t, 1<<22+1, hostname(t), time.Now())
			_, err := b.Run(t.Context())
			require.ErrorIs(t, err, ErrOwned)
			assert.ErrorContains(t, err, test.wantErr)
			assert.FileExists(t, live)
			assert.FileExists(t, dead)
			assert.Len(t, b.calls, 1, "only whoami was asked")
		})
	}
}

// After the clock was set forward, the owner looks younger than its lock.
func TestRunningPulumiOwnsLockDespiteClockChange(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	require.NoError(t, err)
	owner := exec.Command(sleep, "60")
	owner.Args[0] = "/usr/local/bin/pulumi"
	require.NoError(t, owner.Start())
	t.Cleanup(func() { require.NoError(t, owner.Process.Kill()); _ = owner.Wait() })
	b := newBench(t)
	b.state = fixture(t)
	file := b.lock(t, owner.Process.Pid, hostname(t), time.Now().Add(-24*time.Hour))
	_, err = b.Run(t.Context())
	require.ErrorIs(t, err, ErrOwned)
	assert.ErrorContains(t, err, "pulumi cancel")
	assert.FileExists(t, file)
	assert.Nil(t, b.imported)
}

func TestLocksOfRemoteBackendAreNotRemoved(t *testing.T) {
	b := newBench(t)
	inner := b.Pulumi
	b.Pulumi = func(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
		if args[0] == "whoami" {
			return []byte(`{"url":"s3://bucket"}`), nil
		}
		return inner(ctx, stdin, args...)
	}
	_, err := b.Run(t.Context())
	require.NoError(t, err)
	assert.Contains(t, b.log.String(), "pulumi cancel")
}

func TestRecoveryRemovesOnlyPendingOperations(t *testing.T) {
	b := newBench(t)
	b.state = fixture(t)
	_, err := b.Run(t.Context())
	require.NoError(t, err)
	assert.Contains(t, string(b.imported), "12345678901234567890", "numbers keep every digit")

	var before, after map[string]any
	require.NoError(t, json.Unmarshal([]byte(b.state), &before))
	require.NoError(t, json.Unmarshal(b.imported, &after))
	deployment := before["deployment"].(map[string]any)
	update := slices.IndexFunc(deployment["pending_operations"].([]any), func(one any) bool {
		return one.(map[string]any)["type"] == "updating"
	})
	deployment["pending_operations"] = deployment["pending_operations"].([]any)[update : update+1]
	assert.Equal(t, before, after, "the next update repeats the release's")
	assert.Contains(t, b.log.String(),
		"forgot the interrupted create of urn:pulumi:local::strata::command:local:Command::k3s-api-gate")
	assert.Contains(t, b.calls, "stack export --stack local",
		"what is written back stays encrypted")
}

// An interrupted command may have done half of its work. If the program is reverted, it equals the
// state, so the engine would not run the command. A node would stay cordoned, or a canary would
// keep its share of requests.
func TestInterruptedCommandUpdateRunsAgain(t *testing.T) {
	const urn = "urn:pulumi:local::strata::command:local:Command::k3s-upgrade"
	command := func(create string) map[string]any {
		properties := func() map[string]any {
			return map[string]any{"create": create, "stdin": "v1", "delete": "undo",
				"secret": map[string]any{"ciphertext": "x"}}
		}
		return map[string]any{"urn": urn, "type": "command:local:Command", "inputs": properties(),
			"outputs": properties()}
	}
	other := map[string]any{"urn": urn + "-other", "type": "command:local:Command",
		"inputs": map[string]any{"create": "another"}}
	export := func(create string, pending ...any) string {
		text, err := json.Marshal(
			map[string]any{"deployment": map[string]any{"resources": []any{command(create), other},
				"pending_operations": pending}})
		require.NoError(t, err)
		return string(text)
	}
	updating := map[string]any{"type": "updating", "resource": command("exec strata upgrade")}
	b := newBench(t)
	b.state = export("exec strata upgrade", updating)
	for range 2 { // the second run was killed again
		_, err := b.Run(t.Context())
		require.NoError(t, err)
		var after struct{ Deployment state }
		require.NoError(t, json.Unmarshal(b.imported, &after))
		require.Len(t, after.Deployment.Resources, 2)
		marked, untouched := after.Deployment.Resources[0], after.Deployment.Resources[1]
		for _, properties := range []map[string]any{marked.Inputs, marked.Outputs} {
			assert.Equal(t, command("# interrupted; see strata repair\nexec strata upgrade")["inputs"],
				properties, "nothing else is changed: a delete may need it")
		}
		assert.Equal(t, "another", untouched.Inputs["create"])
		b.state = export("# interrupted; see strata repair\nexec strata upgrade", updating)
	}
}

func TestUpsertContinuesUntilStateHasInterruptedObjects(t *testing.T) {
	b := newBench(t)
	b.state = fixture(t)
	result, err := b.Run(t.Context())
	require.NoError(t, err)
	assert.True(t, result.Upsert)
	assert.Contains(t, b.log.String(), "kubernetes:core/v1:Namespace::metallb-namespace without the state's knowing")

	b.state = string(b.imported)
	result, err = b.Run(t.Context())
	require.NoError(t, err)
	assert.True(t, result.Upsert, "the next run was killed before it reached the object")
	before, err := os.Stat(b.note())
	require.NoError(t, err)
	_, err = b.Run(t.Context())
	require.NoError(t, err)
	after, err := os.Stat(b.note())
	require.NoError(t, err)
	assert.False(t, os.SameFile(before, after),
		"it is replaced: one that is written over is empty after a power cut")

	b.state = strings.Replace(b.state, `"resources":[`, `"resources":[
		{"urn":"urn:pulumi:local::strata::kubernetes:core/v1:Namespace::metallb-namespace","type":"kubernetes:core/v1:Namespace"},`, 1)
	result, err = b.Run(t.Context())
	require.NoError(t, err)
	assert.False(t, result.Upsert)
	assert.NoFileExists(t, b.note())
}

func TestRecoveryDoesNotChangeStackWithoutLeftovers(t *testing.T) {
	b := newBench(t)
	b.state = `{"version":3,"deployment":{"resources":[]}}`
	result, err := b.Run(t.Context())
	require.NoError(t, err)
	assert.Equal(t, Result{}, result)
	assert.Empty(t, b.log.String())
	assert.Equal(t, []string{"whoami --json", "stack export --stack local --show-secrets"}, b.calls)
}

func TestMissingStackNeedsNoRecovery(t *testing.T) {
	_, err := newBench(t).Run(t.Context())
	require.NoError(t, err)
}

func TestKubeconfigOfProviderMayBePlainOrSecret(t *testing.T) {
	secret := map[string]any{sig.Key: sig.Secret, "plaintext": `"apiVersion: v1\n"`}
	for name, value := range map[string]any{"secret": secret, "plain": "apiVersion: v1\n"} {
		provider := map[string]any{"type": providerType,
			"inputs": map[string]any{"kubeconfig": value}}
		export, err := json.Marshal(map[string]any{
			"deployment": map[string]any{"resources": []any{provider}}})
		require.NoError(t, err)
		parsed, err := stackstate.Parse(export)
		require.NoError(t, err)
		assert.Equal(t, "apiVersion: v1\n", state{parsed}.kubeconfig(), name)
	}
	assert.Empty(t, state{&stackstate.State{}}.kubeconfig())
}
