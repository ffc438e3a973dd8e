package healthtest

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// Listen listens on a free loopback port until the test ends, and returns the port's number.
func Listen(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	return port
}
