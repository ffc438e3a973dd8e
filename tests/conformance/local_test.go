package conformance_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/conformance/internal/plugin"
)

func newLocal(t *testing.T) *plugin.Resource {
	t.Helper()
	return plugin.New(start(t, "command", nil), "command:local:Command", "cmd")
}

var localCases = []testCase{
	{"create runs the command and returns both streams without the last newline",
		func(t *testing.T) {
			r := newLocal(t)
			up(t, r, plugin.Create, props(map[string]any{"create": "echo out; echo err >&2"}))
			assert.Equal(t, "out", text(r.State, "stdout"))
			assert.Equal(t, "err", text(r.State, "stderr"))
			assert.NotEmpty(t, r.ID)
		}},
	{"the same inputs change nothing", func(t *testing.T) {
		r := newLocal(t)
		file := filepath.Join(t.TempDir(), "runs")
		inputs := props(map[string]any{"create": "echo x >> " + file})
		up(t, r, plugin.Create, inputs)
		up(t, r, plugin.Same, inputs)
		assert.Equal(t, "x\n", read(t, file))
	}},
	{"a changed input runs the update command", func(t *testing.T) {
		r := newLocal(t)
		up(t, r, plugin.Create, props(map[string]any{"create": "echo one", "update": "echo two"}))
		up(t, r, plugin.Update, props(map[string]any{"create": "echo 1", "update": "echo two"}))
		assert.Equal(t, "two", text(r.State, "stdout"))
	}},
	{"without an update command a changed input runs the create command", func(t *testing.T) {
		r := newLocal(t)
		up(t, r, plugin.Create, props(map[string]any{"create": "cat", "stdin": "one"}))
		up(t, r, plugin.Update, props(map[string]any{"create": "cat", "stdin": "two"}))
		assert.Equal(t, "two", text(r.State, "stdout"))
	}},
	{"a changed trigger runs the new create before the old delete", func(t *testing.T) {
		r := newLocal(t)
		// The official SDK sets this option for every command.
		r.ReplaceOnChanges = []string{"triggers"}
		file := filepath.Join(t.TempDir(), "order")
		inputs := func(trigger string) map[string]any {
			return map[string]any{
				"create": "echo create >> " + file, "update": "echo update >> " + file,
				"delete": "echo delete >> " + file, "triggers": []any{trigger},
			}
		}
		up(t, r, plugin.Create, props(inputs("a")))
		up(t, r, plugin.Replace, props(inputs("b")))
		assert.Equal(t, "create\ncreate\ndelete\n", read(t, file))
	}},
	{"what is replaced on a change of what it runs or is asked runs again without a trigger",
		func(t *testing.T) {
			r := newLocal(t)
			r.ReplaceOnChanges = []string{"create", "stdin"} // as internal/pulumi/rerun sets it
			up(t, r, plugin.Create, props(map[string]any{"create": "cat", "stdin": "one"}))
			up(t, r, plugin.Replace, props(map[string]any{"create": "cat", "stdin": "two"}))
			assert.Equal(t, "two", text(r.State, "stdout"))
			up(t, r, plugin.Replace, props(map[string]any{"create": "cat -", "stdin": "two"}))
			up(
				t,
				r,
				plugin.Update,
				props(map[string]any{"create": "cat -", "stdin": "two",
					"environment": map[string]any{"KEY": "renewed"}}),
			)
		}},
	{"delete runs the delete command of the state", func(t *testing.T) {
		r := newLocal(t)
		file := filepath.Join(t.TempDir(), "gone")
		up(
			t,
			r,
			plugin.Create,
			props(map[string]any{"create": "echo made",
				"delete": "echo $PULUMI_COMMAND_STDOUT > " + file}),
		)
		require.NoError(t, r.Delete(t.Context()))
		assert.Equal(t, "made\n", read(t, file))
	}},
	{"an update sees the previous output in its environment", func(t *testing.T) {
		r := newLocal(t)
		command := "echo \"[$PULUMI_COMMAND_STDOUT][$PULUMI_COMMAND_STDERR]\"; echo e >&2"
		up(t, r, plugin.Create, props(map[string]any{"create": command}))
		up(t, r, plugin.Update, props(map[string]any{"create": command, "stdin": "changed"}))
		assert.Equal(t, "[[][]][e]", text(r.State, "stdout"))
	}},
	{"addPreviousOutputInEnv false keeps the previous output out", func(t *testing.T) {
		r := newLocal(t)
		inputs := map[string]any{"create": "echo \"[$PULUMI_COMMAND_STDOUT]\"",
			"addPreviousOutputInEnv": false}
		up(t, r, plugin.Create, props(inputs))
		inputs["stdin"] = "changed"
		up(t, r, plugin.Update, props(inputs))
		assert.Equal(t, "[]", text(r.State, "stdout"))
	}},
	{"environment and stdin reach the command", func(t *testing.T) {
		r := newLocal(t)
		up(t, r, plugin.Create, props(map[string]any{
			"stdin": "input", "environment": map[string]any{"NAME": "value"},
			"create": "echo \"$NAME $(cat)\"",
		}))
		assert.Equal(t, "value input", text(r.State, "stdout"))
	}},
	{"output lines are logged while logging is on", func(t *testing.T) {
		r := newLocal(t)
		up(t, r, plugin.Create, props(map[string]any{"create": "echo to-out; echo to-err >&2"}))
		assert.Contains(t, r.Plugin.Log(), "to-out")
		assert.Contains(t, r.Plugin.Log(), "to-err")
	}},
	{"logging can be limited to a stream or turned off", func(t *testing.T) {
		quiet, loud := newLocal(t), newLocal(t)
		inputs := map[string]any{"create": "echo to-out; echo to-err >&2", "logging": "none"}
		up(t, quiet, plugin.Create, props(inputs))
		inputs["logging"] = "stderr"
		up(t, loud, plugin.Create, props(inputs))
		assert.NotContains(t, quiet.Plugin.Log(), "to-")
		assert.Contains(t, loud.Plugin.Log(), "to-err")
		assert.NotContains(t, loud.Plugin.Log(), "to-out")
		assert.Equal(t, "to-out", text(quiet.State, "stdout"))
	}},
	{"a secret input stays secret in the state", func(t *testing.T) {
		r := newLocal(t)
		inputs := props(map[string]any{"create": "true"})
		inputs["stdin"] = secret("hidden")
		up(t, r, plugin.Create, inputs)
		assert.True(t, isSecret(r.State, "stdin"))
		assert.Equal(t, "hidden", text(r.State, "stdin"))
	}},
	{"a preview of a create runs nothing and leaves the outputs unknown", func(t *testing.T) {
		r := newLocal(t)
		file := filepath.Join(t.TempDir(), "ran")
		inputs := props(map[string]any{"create": "touch " + file})
		op, state, err := r.Preview(t.Context(), inputs)
		require.NoError(t, err)
		assert.Equal(t, plugin.Create, op)
		assert.True(t, isUnknown(state, "stdout"))
		assert.NoFileExists(t, file)
		inputs["stdin"] = unknown()
		_, state, err = r.Preview(t.Context(), inputs)
		require.NoError(t, err)
		assert.True(t, isUnknown(state, "stdin"))
	}},
	{"a preview of an update leaves the outputs unknown", func(t *testing.T) {
		r := newLocal(t)
		up(t, r, plugin.Create, props(map[string]any{"create": "echo one"}))
		op, state, err := r.Preview(t.Context(), props(map[string]any{"create": "echo two"}))
		require.NoError(t, err)
		assert.Equal(t, plugin.Update, op)
		assert.True(t, isUnknown(state, "stdout"))
	}},
	{"a refresh keeps the outputs", func(t *testing.T) {
		r := newLocal(t)
		inputs := props(map[string]any{"create": "echo out"})
		up(t, r, plugin.Create, inputs)
		require.NoError(t, r.Refresh(t.Context()))
		assert.Equal(t, "out", text(r.State, "stdout"))
		up(t, r, plugin.Same, inputs)
	}},
}

func read(t *testing.T, file string) string {
	t.Helper()
	body, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(body)
}
