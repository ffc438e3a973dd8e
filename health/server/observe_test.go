package server

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/health/observe"
)

func TestRefusingServerIsPingedMoreOften(t *testing.T) {
	assert.Equal(t, pingRefusedInterval,
		pingPause(pingFacts{Seen: true, Error: observe.DialTrouble(
			errors.New("dial tcp 10.10.0.11:6443: connect: connection refused"))}))
	assert.Equal(t, pingInterval, pingPause(pingFacts{Seen: true, Error: "timeout"}))
	assert.Equal(t, pingInterval, pingPause(pingFacts{Seen: true, Status: 503}))
}
