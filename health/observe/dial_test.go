package observe

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/internal/ssh/tunnel"
)

// The local port is different in each attempt. If it were shown, each attempt would print another
// progress line.
func TestDialErrorsAreStableAcrossAttempts(t *testing.T) {
	for text, want := range map[string]string{
		"dial tcp 10.10.0.1:53412->10.10.0.11:443: connect: connection refused": RefusedText,
		"remote error: tls: handshake failure":                                  "tls",
		"dial tcp 10.10.0.11:443: " +
			"i/o timeout": "timeout; the host is down, or a firewall drops the connection",
		"Get https://a: context " +
			"deadline exceeded": "timeout; the host is down, or a firewall drops the connection",
		"something\nelse": "something else",
	} {
		assert.Equal(t, want, DialTrouble(errors.New(text)))
	}
	assert.Equal(t, "none", OrNone(""))
	assert.Equal(t, "lan", OrNone("lan"))
}

func TestTunnelErrorKeepsCauseAndHint(t *testing.T) {
	down := &tunnel.DownError{Address: "127.0.0.1:1080", Why: "w"}
	assert.Equal(t, Way{Cause: down.Cause(), Hint: down.Hint()}, WayOf(fmt.Errorf("Get: %w", down)))
	assert.True(t, WayOf(down).Down())
	assert.False(t, WayOf(errors.New("connection refused")).Down())
}

func TestChangesOnlyDropsRepeatedVerdicts(t *testing.T) {
	var states []health.State
	report := ChangesOnly(func(verdicts []health.Verdict) {
		states = append(states,
			verdicts[0].State)
	})
	for _, state := range []health.State{health.Waiting, health.Waiting, health.Ready, health.Waiting} {
		report([]health.Verdict{{Check: "a", State: state}})
	}
	assert.Equal(t, []health.State{health.Waiting, health.Ready, health.Waiting}, states)
}
