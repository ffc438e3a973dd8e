package health

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// optionalBody is a body that a Spec may lack.
type optionalBody struct{ testBody }

func (b optionalBody) Traits() Traits {
	return Traits{Kind: "bare", Optional: true,
		NoServers: true}
}

var testBodies = map[Kind]BodyReader{"test": ReadBody[testBody], "bare": ReadBody[optionalBody]}

func TestSpecJSONHasKindFirstAndBodyLast(t *testing.T) {
	spec := specWith(Traits{})
	spec.Hosts, spec.Body = nil, testBody{Name: "<a>"}
	for _, c := range []struct {
		body Body
		want string
	}{
		{testBody{Name: "<a>"}, `{"kind":"test","gate":"g","layer":"","timeout":"1m0s","timeoutKey":"","servers":["https://10.10.0.11:6443"],"test":{"name":"\u003ca\u003e"}}`},
		{testBody{}, `{"kind":"test","gate":"g","layer":"","timeout":"1m0s","timeoutKey":"","servers":["https://10.10.0.11:6443"],"test":{}}`},
		{optionalBody{}, `{"kind":"bare","gate":"g","layer":"","timeout":"1m0s","timeoutKey":"","servers":["https://10.10.0.11:6443"]}`},
	} {
		spec.Body = c.body
		text, err := json.Marshal(spec)
		require.NoError(t, err)
		assert.Equal(t, c.want, string(text))
		read, err := ParseSpec(text, testBodies)
		require.NoError(t, err)
		assert.Equal(t, spec, read)
	}
}

func TestSpecWithoutBodyHasNoKind(t *testing.T) {
	text, err := json.Marshal(Spec{Gate: "g"})
	require.NoError(t, err)
	assert.Contains(t, string(text), `{"kind":"","gate":"g",`)
}

// A gate that silently omits a check opens too early.
func TestUnknownSpecFieldIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"kind":"test","gate":"g","modulez":[]}`:           "modulez",
		`{"kind":"test","test":{"namez":"a"}}`:              "namez",
		`{"kind":"bare","bare":{"namez":"a"}}`:              "namez",
		`{"kind":"bare","test":{"name":"a"}}`:               `unknown field "test"`,
		`{"kind":"nosuch","test":{"name":"a"}}`:             `unknown field "test"`,
		`{"kind":"bare","hosts":[{"name":"a","rolez":""}]}`: "rolez",
		`{"kind":"bare"} {}`:                                "after top-level value",
		`{"kind":1}`:                                        "kind",
		`[]`:                                                "array",
	} {
		_, err := ParseSpec([]byte(text), testBodies)
		require.ErrorIs(t, err, ErrSpec, text)
		assert.ErrorContains(t, err, want)
	}
}

func TestSpecWithoutRequiredBodyIsInvalid(t *testing.T) {
	for _, text := range []string{`{"kind":"test","gate":"g","timeout":"1m"}`, `{"kind":"test","gate":"g","timeout":"1m","test":null}`} {
		spec, err := ParseSpec([]byte(text), testBodies)
		require.NoError(t, err)
		assert.Equal(t, Kind("test"), spec.Kind())
		require.ErrorContains(t, spec.Validate(), "test: missing")
		assert.ErrorContains(t, spec.Validate(), "servers: empty")
		_, err = spec.Body.NewWatch(spec, Secrets{})
		require.ErrorContains(t, err, "test: missing")
	}
	spec, err := ParseSpec([]byte(`{"kind":"bare","gate":"g","timeout":"1m"}`), testBodies)
	require.NoError(t, err)
	require.NoError(t, spec.Validate())
}

func TestSpecReportsAllMistakesAtOnce(t *testing.T) {
	spec, err := ParseSpec([]byte(`{"kind":"nosuch","hosts":[{"role":"boss"}]}`), testBodies)
	require.NoError(t, err)
	err = spec.Validate()
	for _, part := range []string{`kind: expected one of bare, test, found "nosuch"`, "gate: empty", "timeout: expected a positive", "hosts[0]: name", `found "boss"`} {
		require.ErrorContains(t, err, part)
	}
	assert.NotContains(t, err.Error(), "servers", "what an unknown kind needs is unknown")
	err = Spec{Body: testBody{traits: Traits{NodeSet: true}}, Gate: "nodes"}.Validate()
	assert.ErrorContains(t, err, "an empty node set is never ready")
	assert.ErrorContains(t, err, "servers: empty")
}
