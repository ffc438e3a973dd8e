package remote

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestRefusedPortIsRetriedSoonerThanOtherErrors(t *testing.T) {
	refused := plainDialError(fmt.Errorf("dial tcp: %w", syscall.ECONNREFUSED))
	assert.Equal(t, 25*time.Millisecond, retryPause(refused))
	for _, err := range []error{plainDialError(syscall.ECONNRESET),
		plainDialError(syscall.EHOSTUNREACH), ErrKeyRejected, errors.New("EOF")} {
		assert.Equal(t, 100*time.Millisecond, retryPause(err), err)
	}
}

func TestSilentAgentIsGivenUpAfterGracePeriod(t *testing.T) {
	silent := (&agentSession{path: "/run/agent"}).silent("it did not sign")
	start := time.Now()
	var p patience
	assert.False(t, p.isExhausted(silent, start))
	assert.False(t, p.isExhausted(silent, start.Add(agentGrace)))
	assert.False(t, p.isExhausted(plainDialError(syscall.ECONNREFUSED), start.Add(agentGrace)),
		"the host restarts meanwhile")
	again := start.Add(2 * agentGrace)
	assert.False(t, p.isExhausted(silent, again), "the agent has its time anew")
	assert.True(t, p.isExhausted(silent, again.Add(agentGrace+1)))
	assert.True(t, p.isExhausted(ErrAgent, start), "one that is gone is not waited for")
}

func TestKeyRejectionIsFinalAfterBootGracePeriod(t *testing.T) {
	start := time.Now()
	var p patience
	assert.True(t, p.isExhausted(ErrKeyRejected, start), "the host runs")
	assert.False(t, p.isExhausted(plainDialError(syscall.ECONNREFUSED), start))
	assert.False(t, p.isExhausted(ErrKeyRejected, start.Add(rejectGrace)))
	assert.True(t, p.isExhausted(ErrKeyRejected, start.Add(rejectGrace+1)))
}
