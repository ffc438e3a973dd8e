package conformance_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/conformance/internal/plugin"
)

var localFailureCases = []testCase{
	{"a failed create names status, command and output, and stores nothing", func(t *testing.T) {
		r := newLocal(t)
		// The command prints to one stream, because the order of lines of two streams is undefined.
		err := fails(t, r, plugin.Create,
			props(map[string]any{"create": "exec 2>&1; echo a; echo b >&2; exit 3"}))
		assert.ErrorContains(t, err, "exit status 3: running \"exec 2>&1; echo a; echo b >&2; exit 3\":\na\nb\n")
		assert.Empty(t, r.ID)
		up(t, r, plugin.Create, props(map[string]any{"create": "echo retried"}))
	}},
	{"a failed update keeps the old state", func(t *testing.T) {
		r := newLocal(t)
		up(t, r, plugin.Create, props(map[string]any{"create": "echo one"}))
		fails(t, r, plugin.Update, props(map[string]any{"create": "exit 1"}))
		assert.Equal(t, "one", text(r.State, "stdout"))
		assert.Empty(t, r.InitErrors)
	}},
	{"a failed delete keeps the resource", func(t *testing.T) {
		r := newLocal(t)
		up(t, r, plugin.Create, props(map[string]any{"create": "true", "delete": "exit 1"}))
		require.Error(t, r.Delete(t.Context()))
		assert.NotEmpty(t, r.ID)
	}},
	{"a timeout kills the shell", func(t *testing.T) {
		r := newLocal(t)
		r.Timeout = 1
		began := time.Now()
		err := fails(t, r, plugin.Create, props(map[string]any{"create": "exec sleep 600"}))
		assert.ErrorContains(t, err, "signal: killed: running")
		assert.Less(t, time.Since(began), slowest)
	}},
	{"a timeout does not kill a child that holds the output", func(t *testing.T) {
		inTime(t, 1, func(timeout float64) bool {
			r, file := newLocal(t), filepath.Join(t.TempDir(), "began")
			r.Timeout = timeout
			began := time.Now()
			fails(
				t,
				r,
				plugin.Create,
				props(map[string]any{"create": fmt.Sprintf("touch %s; sleep %d; true", file,
					int(3*timeout))}),
			)
			if _, err := os.Stat(file); err != nil {
				return false // the shell was killed before it started its child
			}
			assert.GreaterOrEqual(t, time.Since(began).Seconds(), 2.5*timeout)
			return true
		})
	}},
	{"an unknown input is an error of check", func(t *testing.T) {
		_, err := newLocal(t).Check(t.Context(), props(map[string]any{"create": 7}))
		assert.Error(t, err)
	}},
}
