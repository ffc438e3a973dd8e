package token_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/k3s/internal/token"
)

var ca = []byte("-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n")

func TestFormattedTokenParsesToSameParts(t *testing.T) {
	text := token.Format("server", "secret", ca)
	parsed, err := token.Parse(text)
	require.NoError(t, err)
	assert.Equal(t, token.Token{CAHash: token.Hash(ca), User: "server", Password: "secret"}, parsed)
	assert.Regexp(t, `^K10[0-9a-f]{64}::server:secret$`, text)
}

func TestBarePasswordAcceptsAnyCA(t *testing.T) {
	parsed, err := token.Parse("secret")
	require.NoError(t, err)
	assert.Equal(t, token.Token{Password: "secret"}, parsed)
	assert.NoError(t, parsed.CheckCA(ca))
}

func TestMalformedTokensReturnK3sErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "token must not be empty",
		"K10abc::server:x": "invalid token CA hash length",
		"K10::server":      "invalid token format",
		"K10::server:":     "invalid token format",
	} {
		_, err := token.Parse(text)
		assert.EqualError(t, err, want, text)
	}
}

func TestWrongCAErrorHidesThePassword(t *testing.T) {
	parsed, err := token.Parse(token.Format("server", "secret", ca))
	require.NoError(t, err)
	err = parsed.CheckCA([]byte("another"))
	require.ErrorContains(t, err, "token CA hash does not match the Cluster CA certificate hash: "+token.Hash(ca)+" != ")
	assert.NotContains(t, err.Error(), "secret")
}
