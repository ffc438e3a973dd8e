package tunnel

import (
	"bufio"
	"context"
	"errors"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"strata/internal/remote"
)

func noStart(context.Context) error { return errors.New("was to be started") }

func TestATunnelEndsOnceNothingUsesIt(t *testing.T) {
	const idleFor = 300 * time.Millisecond
	tunnel := served(t, idleFor)
	lease, err := open(t.Context(), tunnel.Spec, noStart)
	require.NoError(t, err)
	select {
	case <-tunnel.ended:
		t.Fatal("it ended although it was held")
	case <-time.After(4 * idleFor):
	}
	lease.Close()
	select {
	case err := <-tunnel.ended:
		require.NoError(t, err)
	case <-time.After(10 * time.Second):
		t.Fatal("nothing uses it, and it is still there")
	}
}

func TestATunnelIsStartedOnceAndSharedByThoseThatNeedIt(t *testing.T) {
	tunnel := served(t, time.Minute)
	for range 2 {
		lease, err := open(t.Context(), tunnel.Spec, noStart)
		require.NoError(t, err)
		defer lease.Close()
	}
	absent := tunnel.Spec
	_, port, err := net.SplitHostPort(closedPort(t))
	require.NoError(t, err)
	absent.Port, err = strconv.Atoi(port)
	require.NoError(t, err)
	_, err = open(t.Context(), absent, noStart)
	require.ErrorContains(t, err, "was to be started")
	none, err := Open(t.Context(), Spec{}, nil)
	require.NoError(t, err)
	none.Close()
}

// Two stacks with one port would each take the other's cluster for its own.
func TestATunnelThatLeadsElsewhereIsReplacedWhereNothingUsesIt(t *testing.T) {
	tunnel := served(t, time.Minute)
	other := tunnel.Spec
	other.Via = append([]remote.Hop{{Address: "192.0.2.1", Port: 22}}, other.Via...)
	held, err := open(t.Context(), tunnel.Spec, noStart)
	require.NoError(t, err)
	_, err = open(t.Context(), other, noStart)
	require.ErrorContains(t, err, "in use")
	require.ErrorContains(t, err, "strata:hosts.ssh.dynamicForward")
	held.Close()
	var started atomic.Int32
	require.Eventually(t, func() bool {
		_, err = open(t.Context(), other, func(context.Context) error { started.Add(1); return errors.New("here") })
		return started.Load() == 1
	}, 5*time.Second, 10*time.Millisecond)
	require.ErrorContains(t, err, "here")
	require.NoError(t, <-tunnel.ended)
}

func TestAPortOfAnotherProgramIsRefused(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = bufio.NewReader(conn).ReadByte()
			_ = conn.Close() // as ssh -D does with what is not SOCKS
		}
	}()
	spec := Spec{Port: listener.Addr().(*net.TCPAddr).Port, Via: []remote.Hop{{Address: "bastion", Port: 22}}}
	_, err = open(t.Context(), spec, noStart)
	require.ErrorContains(t, err, "another program's")
}
