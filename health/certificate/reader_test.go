package certificate

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
)

// The API server is nil, so a request for the Secret would fail the test.
func TestReadOnlyUserSkipsOnlySecretCheck(t *testing.T) {
	spec := Spec{Namespace: "a", Name: "tls", Secret: "tls"}
	pair, err := (&certificateWatch{spec: spec, reader: true}).pair(t.Context(), nil)
	require.NoError(t, err)
	verdicts := judgeCertificate(spec, certificateFacts{Pair: pair,
		Certificate: certificateSeen{Missing: true}})
	assert.Equal(t, health.Waiting, verdicts[0].State)
	assert.Equal(t, health.Verdict{Check: "secret a/tls", State: health.Skipped,
		Message: "not read: needs get secrets", After: verdicts[1].After}, verdicts[1])
}
