package conformance_test

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"strata/tests/conformance/internal/plugin"
)

func newRandom(t *testing.T, kind string) *plugin.Resource {
	t.Helper()
	token := "random:index/" + strings.ToLower(kind[:1]) + kind[1:] + ":" + kind
	return plugin.New(start(t, "random", nil), token, "value")
}

var randomCases = []testCase{
	{"a password has its length, a hash, and an id that does not tell it", func(t *testing.T) {
		r := newRandom(t, "RandomPassword")
		up(t, r, plugin.Create, props(map[string]any{"length": 24, "special": false}))
		assert.Equal(t, "none", r.ID)
		assert.Regexp(t, "^[A-Za-z0-9]{24}$", text(r.State, "result"))
		require.NoError(t, bcrypt.CompareHashAndPassword(
			[]byte(text(r.State, "bcryptHash")), []byte(text(r.State, "result"))))
	}},
	{"a password and its hash are secret", func(t *testing.T) {
		r := newRandom(t, "RandomPassword")
		up(t, r, plugin.Create, props(map[string]any{"length": 24}))
		assert.True(t, isSecret(r.State, "result"))
		assert.True(t, isSecret(r.State, "bcryptHash"))
	}},
	{"the same inputs keep the value and a changed keeper replaces it", func(t *testing.T) {
		r := newRandom(t, "RandomPassword")
		inputs := func(keeper string) map[string]any {
			return map[string]any{"length": 24, "keepers": map[string]any{"k": keeper}}
		}
		up(t, r, plugin.Create, props(inputs("a")))
		first := text(r.State, "result")
		up(t, r, plugin.Same, props(inputs("a")))
		assert.Equal(t, first, text(r.State, "result"))
		up(t, r, plugin.Replace, props(inputs("b")))
		assert.NotEqual(t, first, text(r.State, "result"))
	}},
	{"a changed length replaces the password", func(t *testing.T) {
		r := newRandom(t, "RandomPassword")
		up(t, r, plugin.Create, props(map[string]any{"length": 24}))
		up(t, r, plugin.Replace, props(map[string]any{"length": 25}))
	}},
	{"keepers that come or go replace the password", func(t *testing.T) {
		r := newRandom(t, "RandomPassword")
		kept := map[string]any{"length": 24, "keepers": map[string]any{"k": ""}}
		up(t, r, plugin.Create, props(map[string]any{"length": 24}))
		up(t, r, plugin.Replace, props(kept))
		up(t, r, plugin.Replace, props(map[string]any{"length": 24}))
	}},
	{"an id is the same bytes in every notation", func(t *testing.T) {
		r := newRandom(t, "RandomId")
		up(t, r, plugin.Create, props(map[string]any{"byteLength": 4, "prefix": "p-"}))
		raw, err := hex.DecodeString(strings.TrimPrefix(text(r.State, "hex"), "p-"))
		require.NoError(t, err)
		assert.Len(t, raw, 4)
		assert.Equal(t, "p-"+base64.StdEncoding.EncodeToString(raw), text(r.State, "b64Std"))
		assert.Equal(t, "p-"+base64.RawURLEncoding.EncodeToString(raw), text(r.State, "b64Url"))
		assert.Equal(t, base64.RawURLEncoding.EncodeToString(raw), r.ID)
	}},
	{"a preview of a create leaves the result unknown", func(t *testing.T) {
		r := newRandom(t, "RandomPassword")
		_, state, err := r.Preview(t.Context(), props(map[string]any{"length": 24}))
		require.NoError(t, err)
		assert.True(t, isUnknown(state, "result"))
	}},
	{"a preview of a create tells the defaults", func(t *testing.T) {
		r := newRandom(t, "RandomPassword")
		_, state, err := r.Preview(t.Context(),
			props(map[string]any{"length": 24, "special": false}))
		require.NoError(t, err)
		assert.True(t, get(state, "upper").BoolValue())
		assert.False(t, get(state, "special").BoolValue())
		assert.Zero(t, get(state, "minLower").NumberValue())
	}},
	{"a length of nothing is an error of check", func(t *testing.T) {
		_, err := newRandom(t, "RandomPassword").Check(t.Context(),
			props(map[string]any{"length": 0}))
		assert.Error(t, err)
	}},
}
