// Package tunneltest serves a tunnel inside the test process, for tests of code that connects
// through one. Only tests import it.
package tunneltest

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
	"strata/internal/ssh/tunnel"
)

// Serve serves a tunnel through its own jump host, until the test ends.
func Serve(t *testing.T) (tunnel.Spec, *sshtest.Server) {
	t.Helper()
	jump := sshtest.Start(t)
	jump.Forwards = true
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	way := Through(jump, listener.Addr().(*net.TCPAddr).Port)
	ended, ready := make(chan error, 1), make(chan struct{})
	go func() {
		ended <- tunnel.Serve(t.Context(), listener, way, jump.PrivateKey(), time.Minute,
			func() { close(ready) })
	}()
	select {
	case <-ready:
	case err := <-ended:
		require.NoError(t, err)
	}
	return way, jump
}

// Through returns the Spec of a tunnel through a jump host at a local port, whether or not it is
// served.
func Through(jump *sshtest.Server, port int) tunnel.Spec {
	return tunnel.NewSpec(remote.Target{Jump: []remote.Hop{jump.Hop()}, DynamicForward: port})
}

// Closed returns a local port at which nothing listens.
func Closed(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return listener.Addr().(*net.TCPAddr).Port
}
