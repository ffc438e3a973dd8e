package machineset

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/kube/apiserver"
)

// k3s starts a server that answers /ping with a text, at an address that no other test uses.
func k3s(t *testing.T, says string, after time.Duration) string {
	t.Helper()
	const address = "127.0.0.61"
	listener, err := net.Listen("tcp", apiserver.Address(address))
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(after)
			_, _ = w.Write([]byte(says))
		}))
	require.NoError(t, server.Listener.Close())
	server.Listener = listener
	server.StartTLS()
	t.Cleanup(server.Close)
	return address
}

// A server under load takes seconds to answer.
func TestPingAcceptsPongFromSlowServer(t *testing.T) {
	require.NoError(t, ping(t.Context(), k3s(t, "pong\n", 6*time.Second)))
}

func TestPingRejectsOtherAnswers(t *testing.T) {
	assert.ErrorContains(t, ping(t.Context(), k3s(t, "hello", 0)), `expected pong, found "hello"`)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Error(t, ping(ended, "127.0.0.62"))
}
