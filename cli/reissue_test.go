package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An ACME server issues only a few certificates a week. So neither the first update nor another
// timeout may reissue certificates.
func TestReissueRunsAfterChangedServerOrFailedAttempt(t *testing.T) {
	const asked = `{"issuer":"strata-acme","signer":"https://a.example.org","timeout":"2s"}`
	t.Setenv("STRATA_KUBECONFIG", "")
	t.Setenv("STRATA_ATTEMPT", "one")
	code, first, stderr := invoke(t, asked, "reissue")
	require.Equal(t, 0, code, stderr)

	t.Setenv("PULUMI_COMMAND_STDOUT", first)
	code, again, stderr := invoke(t, `{"issuer":"strata-acme","signer":"https://a.example.org","timeout":"9s"}`, "reissue")
	require.Equal(t, 0, code, stderr)
	assert.Equal(t, first, again, "for the next time")

	code, _, stderr = invoke(t, `{"issuer":"strata-acme","signer":"https://b.example.org","timeout":"2s"}`, "reissue")
	assert.Equal(t, 2, code, "it asks the cluster")
	assert.Contains(t, stderr, "STRATA_KUBECONFIG")
	t.Setenv("STRATA_ATTEMPT", "a word that was drawn anew")
	code, _, _ = invoke(t, asked, "reissue")
	assert.Equal(t, 2, code, "a change that failed and was taken back may have left some of the other server")
}
