package remote_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

// sshd counts a session for some time after it has ended.
func TestScriptsRunOneAfterTheOtherWithMaxSessionsOne(t *testing.T) {
	server := sshtest.Start(t)
	server.MaxSessions = 1
	client := connect(t, server)
	for range 3 {
		result, err := client.Run(soon(t), "echo out", nil)
		require.NoError(t, err)
		assert.Equal(t, "out\n", string(result.Stdout))
	}
}

func TestRefusedSessionErrorNamesMaxSessions(t *testing.T) {
	server := sshtest.Start(t)
	server.MaxSessions = -1
	start := time.Now()
	_, err := connect(t, server).Run(soon(t), "true", nil)
	require.ErrorIs(t, err, remote.ErrNotRun)
	require.ErrorContains(t, err, "opens no session (open failed); raise MaxSessions")
	assert.Less(t, time.Since(start), 20*time.Second)
}

func TestProcessLimitIsNotReportedAsLostConnection(t *testing.T) {
	server := sshtest.Start(t)
	server.StartsNothing = true
	_, err := connect(t, server).Run(soon(t), "true", nil)
	require.ErrorContains(t, err, "started no process for user root")
	assert.NotContains(t, err.Error(), "lost")
}
