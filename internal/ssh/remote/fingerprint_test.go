package remote_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

func TestHostKeyCanBePinnedByFingerprint(t *testing.T) {
	host, other := sshtest.Start(t), sshtest.Start(t)
	target := host.Target().PinsAsFingerprints()
	require.NotEqual(t, host.Target().HostKey, target.HostKey)
	client, err := remote.Dial(t.Context(), target, host.PrivateKey())
	require.NoError(t, err)
	require.NoError(t, client.Close())
	target.HostKey = other.Target().PinsAsFingerprints().HostKey
	_, err = remote.Dial(t.Context(), target, host.PrivateKey())
	require.ErrorContains(t, err, "is not the pinned one: expected "+target.HostKey)
	require.Equal(t, target, target.PinsAsFingerprints(), "what is short stays")
}
