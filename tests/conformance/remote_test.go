package conformance_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/conformance/internal/plugin"
	"strata/tests/conformance/internal/sshd"
)

func newRemote(t *testing.T) (*plugin.Resource, *sshd.Server) {
	t.Helper()
	server, err := sshd.Start()
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	return plugin.New(start(t, "command", nil), "command:remote:Command", "cmd"), server
}

// connection returns the connection to a server, with its host key pinned.
func connection(s *sshd.Server) map[string]any {
	return map[string]any{
		"host": "127.0.0.1", "port": float64(s.Port), "user": "tester",
		"privateKey": s.ClientKey, "hostKey": s.HostKey, "dialErrorLimit": float64(1),
	}
}

var remoteCases = []testCase{
	{"a remote create runs on the host with the pinned key", func(t *testing.T) {
		r, server := newRemote(t)
		up(t, r, plugin.Create, props(map[string]any{
			"connection": connection(server), "create": "cat; echo err >&2", "stdin": "in\n",
		}))
		assert.Equal(t, "in", text(r.State, "stdout"))
		assert.Equal(t, "err", text(r.State, "stderr"))
	}},
	{"a host with another key is refused and nothing runs", func(t *testing.T) {
		r, server := newRemote(t)
		other, err := sshd.OtherHostKey()
		require.NoError(t, err)
		login := connection(server)
		login["hostKey"] = other
		err = fails(t, r, plugin.Create,
			props(map[string]any{"connection": login, "create": "true"}))
		assert.ErrorContains(t, err, "ssh: handshake failed: ssh: host key mismatch")
		assert.Zero(t, server.Commands.Load())
		assert.Empty(t, r.ID)
	}},
	{"a host key that cannot be read is an error", func(t *testing.T) {
		r, server := newRemote(t)
		login := connection(server)
		login["hostKey"] = "nonsense"
		err := fails(t, r, plugin.Create,
			props(map[string]any{"connection": login, "create": "true"}))
		assert.ErrorContains(t, err, "failed to parse host key")
	}},
	{"a private key that the host does not know is refused", func(t *testing.T) {
		r, server := newRemote(t)
		stranger, err := sshd.Start()
		require.NoError(t, err)
		defer func() { assert.NoError(t, stranger.Close()) }()
		login := connection(server)
		login["privateKey"] = stranger.ClientKey
		err = fails(t, r, plugin.Create,
			props(map[string]any{"connection": login, "create": "true"}))
		assert.ErrorContains(t, err, "unable to authenticate")
	}},
	{"refused dials end at dialErrorLimit", func(t *testing.T) {
		r, server := newRemote(t)
		require.NoError(t, server.Close())
		login := connection(server)
		login["dialErrorLimit"] = float64(2)
		err := fails(t, r, plugin.Create,
			props(map[string]any{"connection": login, "create": "true"}))
		assert.ErrorContains(t, err, "after 2 failed attempts: ")
		assert.ErrorContains(t, err, "connection refused")
		assert.Contains(t, r.Plugin.Log(), "Dial 1/2 failed: retrying")
	}},
	{"a resource timeout ends endless dialling", func(t *testing.T) {
		r, server := newRemote(t)
		require.NoError(t, server.Close())
		login := connection(server)
		login["dialErrorLimit"] = float64(-1)
		inTime(t, 1, func(timeout float64) bool {
			r.Timeout = timeout
			fails(t, r, plugin.Create, props(map[string]any{"connection": login, "create": "true"}))
			return strings.Contains(r.Plugin.Log(), "Dial 1/inf failed: retrying")
		})
	}},
	{"a failed remote command names status, command and output", func(t *testing.T) {
		r, server := newRemote(t)
		err := fails(
			t,
			r,
			plugin.Create,
			props(map[string]any{"connection": connection(server), "create": "echo why; exit 4"}),
		)
		assert.ErrorContains(t, err, "Process exited with status 4: running \"echo why; exit 4\":\nwhy\n")
		assert.Empty(t, r.ID)
	}},
	{"the connection is secret as a whole", func(t *testing.T) {
		r, server := newRemote(t)
		up(t, r, plugin.Create, props(map[string]any{"connection": connection(server),
			"create": "true"}))
		assert.True(t, isSecret(r.State, "connection"))
		assert.True(t, isSecret(r.Inputs, "connection"))
	}},
	{"defaults of the connection are filled in by check", func(t *testing.T) {
		r, server := newRemote(t)
		checked, err := r.Check(t.Context(), props(map[string]any{
			"connection": map[string]any{"host": "127.0.0.1", "privateKey": server.ClientKey},
		}))
		require.NoError(t, err)
		assert.Equal(t, "root", text(checked, "connection", "user"))
		assert.InDelta(t, 22, get(checked, "connection", "port").NumberValue(), 0)
		assert.InDelta(t, 10, get(checked, "connection", "dialErrorLimit").NumberValue(), 0)
		assert.InDelta(t, 15, get(checked, "connection", "perDialTimeout").NumberValue(), 0)
	}},
	{"a changed connection alone runs the update command", func(t *testing.T) {
		r, server := newRemote(t)
		inputs := map[string]any{"connection": connection(server), "create": "echo one",
			"update": "echo two"}
		up(t, r, plugin.Create, props(inputs))
		up(t, r, plugin.Same, props(inputs))
		login := connection(server)
		login["dialErrorLimit"] = float64(3)
		inputs["connection"] = login
		up(t, r, plugin.Update, props(inputs))
		assert.Equal(t, "two", text(r.State, "stdout"))
	}},
	{"a variable that the host refuses fails the command", func(t *testing.T) {
		r, server := newRemote(t)
		inputs := map[string]any{"connection": connection(server), "create": "echo $ACCEPTED_NAME"}
		inputs["environment"] = map[string]any{"ACCEPTED_NAME": "value"}
		up(t, r, plugin.Create, props(inputs))
		assert.Equal(t, "value", text(r.State, "stdout"))
		inputs["environment"] = map[string]any{"OTHER": "value"}
		err := fails(t, r, plugin.Update, props(inputs))
		assert.ErrorContains(t, err, "could not set environment variable \"OTHER\"")
	}},
	{"previous output that the host refuses only warns", func(t *testing.T) {
		r, server := newRemote(t)
		// The command must read its stdin. Otherwise its end may close the connection while the
		// plugin writes stdin, which fails with EOF.
		inputs := map[string]any{"connection": connection(server), "create": "cat", "stdin": "out"}
		up(t, r, plugin.Create, props(inputs))
		inputs["stdin"] = "changed"
		up(t, r, plugin.Update, props(inputs))
		assert.Contains(t, r.Plugin.Log(), "Unable to set 'PULUMI_COMMAND_STDOUT'")
	}},
	{"a remote delete runs over the connection of the state", func(t *testing.T) {
		r, server := newRemote(t)
		file := filepath.Join(t.TempDir(), "deleted")
		up(t, r, plugin.Create, props(map[string]any{
			"connection": connection(server), "create": "true", "delete": "touch " + file,
		}))
		require.NoError(t, r.Delete(t.Context()))
		assert.FileExists(t, file)
	}},
	// By this update, Strata removes commands that ran over the provider's own SSH from a deployed
	// stack (docs/adr/0045).
	{
		"a remote command that has nothing to run any more dials no host, in its update and its delete",
		func(t *testing.T) {
			r, server := newRemote(t)
			file := filepath.Join(t.TempDir(), "deleted")
			up(t, r, plugin.Create, props(map[string]any{
				"connection": connection(server),
				"create":     "cat > /dev/null; echo made", "stdin": "in",
				"delete": "touch " + file,
			}))
			require.NoError(t, server.Close())
			nothing := props(map[string]any{"connection": map[string]any{"host": "127.0.0.1"}})
			_, _, err := r.Preview(t.Context(), nothing)
			require.NoError(t, err)
			up(t, r, plugin.Update, nothing)
			assert.Equal(t, "made", text(r.State, "stdout"))
			assert.Empty(t, text(r.State, "delete"))
			assert.Empty(t, text(r.State, "connection", "privateKey"))
			up(t, r, plugin.Same, nothing)
			require.NoError(t, r.Delete(t.Context()))
			assert.NoFileExists(t, file)
			assert.NotContains(t, r.Plugin.Log(), "Dial")
		},
	},
	{"a remote command cannot become a local one in place", func(t *testing.T) {
		r, server := newRemote(t)
		file := filepath.Join(t.TempDir(), "ran")
		up(
			t,
			r,
			plugin.Create,
			props(map[string]any{"connection": connection(server), "create": "true",
				"delete": "touch " + file}),
		)
		local := *r // the engine does this for an alias of another type
		local.URN = plugin.New(r.Plugin, "command:local:Command", "cmd").URN
		err := fails(t, &local, plugin.Update, props(map[string]any{"create": "touch " + file}))
		assert.ErrorContains(t, err, "connection")
		assert.NoFileExists(t, file)
	}},
	{"a preview of a remote create does not dial", func(t *testing.T) {
		r, server := newRemote(t)
		require.NoError(t, server.Close())
		inputs := props(map[string]any{"connection": connection(server), "create": "true"})
		_, state, err := r.Preview(t.Context(), inputs)
		require.NoError(t, err)
		assert.True(t, isUnknown(state, "stdout"))
	}},
}
