package remote

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestARefusedPortIsTriedSoonAndWhatCostsTheHostSomethingLater(t *testing.T) {
	refused := plainDialError(fmt.Errorf("dial tcp: %w", syscall.ECONNREFUSED))
	assert.Equal(t, 25*time.Millisecond, retryPause(refused))
	for _, err := range []error{plainDialError(syscall.ECONNRESET), plainDialError(syscall.EHOSTUNREACH), ErrKeyRejected, errors.New("EOF")} {
		assert.Equal(t, 100*time.Millisecond, retryPause(err), err)
	}
}
