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

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

// byStart returns an opener with the key of the given tunnel, which starts a tunnel by start.
func byStart(t *testing.T, tunnel tunnelled, start func(context.Context) error) opener {
	t.Helper()
	access, err := accessOf(tunnel.Spec, tunnel.key)
	require.NoError(t, err)
	return opener{access: access, start: start,
		login: func(context.Context) error { return errors.New("was tried") }}
}

func noStart(context.Context) error { return errors.New("was to be started") }

func TestUnusedTunnelExitsAfterIdleTime(t *testing.T) {
	const idleFor = 300 * time.Millisecond
	tunnel := served(t, idleFor)
	lease, err := open(t.Context(), tunnel.Spec, byStart(t, tunnel, noStart))
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

func TestTunnelIsStartedOnceAndShared(t *testing.T) {
	tunnel := served(t, time.Minute)
	for range 2 {
		lease, err := open(t.Context(), tunnel.Spec, byStart(t, tunnel, noStart))
		require.NoError(t, err)
		defer lease.Close()
	}
	absent := tunnel.Spec
	_, port, err := net.SplitHostPort(closedPort(t))
	require.NoError(t, err)
	absent.Port, err = strconv.Atoi(port)
	require.NoError(t, err)
	_, err = open(t.Context(), absent, byStart(t, tunnel, noStart))
	require.ErrorContains(t, err, "was to be started")
	none, err := Open(t.Context(), Spec{}, nil)
	require.NoError(t, err)
	none.Close()
}

// Two stacks may use one port. Without replacement, one would connect to the other's cluster.
func TestUnusedTunnelOfAnotherStackIsReplaced(t *testing.T) {
	tunnel := served(t, time.Minute)
	other := tunnel.Spec
	other.Via = append([]remote.Hop{{Address: "192.0.2.1", Port: 22}}, other.Via...)
	held, err := open(t.Context(), tunnel.Spec, byStart(t, tunnel, noStart))
	require.NoError(t, err)
	_, err = open(t.Context(), other, byStart(t, tunnel, noStart))
	require.ErrorContains(t, err, "in use")
	require.ErrorContains(t, err, "strata:hosts.ssh.dynamicForward")
	held.Close()
	var started atomic.Int32
	require.Eventually(t, func() bool {
		_, err = open(t.Context(), other,
			byStart(t, tunnel, func(context.Context) error {
				started.Add(1)
				return errors.New("here")
			}))
		return started.Load() == 1
	}, 5*time.Second, 10*time.Millisecond)
	require.ErrorContains(t, err, "here")
	require.NoError(t, <-tunnel.ended)
}

func TestPortOfOtherProgramIsRefused(t *testing.T) {
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
			_ = conn.Close() // closes connections of other protocols, like ssh -D
		}
	}()
	spec := Spec{Port: listener.Addr().(*net.TCPAddr).Port,
		Via: []remote.Hop{{Address: "bastion", Port: 22}}}
	_, err = open(t.Context(), spec, opener{start: noStart})
	require.ErrorContains(t, err, "another program's")
}

// One run finds the tunnel unused and requests its end, while another run starts to use it.
func TestTunnelInUseIsNotStopped(t *testing.T) {
	tunnel := served(t, time.Minute)
	first, found, err := greet(t.Context(), tunnel.Address())
	require.NoError(t, err)
	require.Zero(t, found.Uses)
	held, err := open(t.Context(), tunnel.Spec, byStart(t, tunnel, noStart))
	require.NoError(t, err)
	require.ErrorContains(t, first.makeRoom(t.Context(), tunnel.Spec, found), "in use")
	select {
	case <-tunnel.ended:
		t.Fatal("another stack's run holds it, and it was ended")
	case <-time.After(200 * time.Millisecond):
	}
	held.Close()
	require.Eventually(t, func() bool {
		return errors.Is(first.makeRoom(t.Context(), tunnel.Spec, found), errAbsent)
	}, 5*time.Second, 10*time.Millisecond)
	require.NoError(t, <-tunnel.ended)
}

func TestTunnelThatStopsAcceptsNoFurtherUser(t *testing.T) {
	i := newIdle(time.Minute, func() {})
	require.True(t, i.begin())
	require.False(t, i.endWith(0))
	require.True(t, i.begin())
	i.done()
	require.True(t, i.endWith(1))
	require.False(t, i.begin(), "it would be cut off at once")
	require.Equal(t, 1, i.uses())
}

// An idle tunnel may exit while a run greets it. The port then belongs to no other program.
func TestTunnelThatExitsDuringOpenIsReplaced(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() {
		conn, err := listener.Accept()
		_ = listener.Close()
		if err == nil {
			_ = conn.Close()
		}
	}()
	spec := Spec{Port: listener.Addr().(*net.TCPAddr).Port,
		Via: []remote.Hop{{Address: "bastion", Port: 22}}}
	_, err = open(t.Context(), spec, opener{start: noStart})
	require.ErrorContains(t, err, "was to be started")
}

// After a change of keys, an update that used the tunnel with the old key would keep it alive.
func TestTunnelWithRejectedKeyIsReplacedIfOwnKeyWorks(t *testing.T) {
	tunnel, server := rejected(t), api(t)
	held, err := open(t.Context(), tunnel.Spec, byStart(t, tunnel, noStart))
	require.ErrorContains(t, err, "private key not accepted", "with the same key")
	require.Nil(t, held)

	by := opener{access: "another", start: noStart, login: func(context.Context) error {
		return errors.New("no better")
	}}
	_, err = open(t.Context(), tunnel.Spec, by)
	require.ErrorContains(t, err, "no better")
	require.Empty(t, tunnel.ended, "whoever waits for the jump host goes on waiting")

	user, _, err := greet(t.Context(), tunnel.Address())
	require.NoError(t, err)
	defer user.Close()
	by.login = func(context.Context) error { return nil }
	by.start = func(context.Context) error {
		listener, err := net.Listen("tcp", tunnel.Address())
		if err == nil {
			serve(t, listener, tunnel.Spec, tunnel.jump.PrivateKey(), time.Minute)
		}
		return err
	}
	lease, err := open(t.Context(), tunnel.Spec, by)
	require.NoError(t, err)
	defer lease.Close()
	require.NoError(t, <-tunnel.ended)
	conn, err := Dialer(tunnel.Spec, net.Dialer{})(t.Context(), "tcp",
		server.Listener.Addr().String())
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}

// The jump host returns just before the tunnel is asked to exit.
func TestRecoveredTunnelIsNotReplaced(t *testing.T) {
	tunnel, back := away(t)
	by := opener{access: "another", start: noStart, login: func(context.Context) error {
		back()
		require.Eventually(t, func() bool { return told(t, tunnel).Trouble == "" }, 10*time.Second,
			10*time.Millisecond)
		return nil
	}}
	lease, err := open(t.Context(), tunnel.Spec, by)
	require.NoError(t, err)
	lease.Close()
	require.Empty(t, tunnel.ended)
}

// A new tunnel with the same key could not log in either, so open waits for the running one.
func TestOpenWaitsUntilJumpHostIsBack(t *testing.T) {
	tunnel, back := away(t)
	time.AfterFunc(100*time.Millisecond, back)
	lease, err := open(t.Context(), tunnel.Spec, byStart(t, tunnel, noStart))
	require.NoError(t, err)
	lease.Close()
}

func TestHoldRetriesUntilTunnelOpens(t *testing.T) {
	tunnel := served(t, time.Minute)
	var tries atomic.Int32
	start := time.Now()
	release, err := hold(t.Context(), tunnel.Spec, func(ctx context.Context) (*Lease, error) {
		if tries.Add(1) == 1 {
			return nil, errors.New("the jump host is booting")
		}
		return open(ctx, tunnel.Spec, byStart(t, tunnel, noStart))
	})
	require.EqualError(t, err, "the jump host is booting")
	require.Eventually(t, func() bool {
		return tries.Load() == 2 && told(t, tunnel).Uses == 1
	}, 10*time.Second, 10*time.Millisecond, "it is held")
	require.GreaterOrEqual(t, time.Since(start), firstRetry,
		"each try may be a login that is turned down")
	release()
	require.Eventually(t, func() bool { return told(t, tunnel).Uses == 0 }, 10*time.Second,
		10*time.Millisecond)
	release, err = hold(t.Context(), Spec{}, nil)
	require.NoError(t, err)
	release()
}

func TestAccessDependsOnKeysAndAgentButNotOnSudoPassword(t *testing.T) {
	one, _ := sshtest.NewKey(t)
	other, _ := sshtest.NewKey(t)
	access := func(spec Spec, key []byte) string {
		text, err := accessOf(spec, key)
		require.NoError(t, err)
		return text
	}
	require.NotEqual(t, access(Spec{}, one), access(Spec{}, other))
	require.Equal(t, access(Spec{}, one),
		access(Spec{}, append(one, remote.SudoPassword("hunter2", "")...)),
		"a guess at a password could be compared with it")
	t.Setenv(remote.AgentVariable, "/run/agent-1")
	before := access(Spec{Agent: true}, nil)
	require.NotEqual(t, access(Spec{}, nil), before)
	t.Setenv(remote.AgentVariable, "/run/agent-2")
	require.NotEqual(t, before, access(Spec{Agent: true}, nil))
	_, err := accessOf(Spec{}, []byte("no key"))
	require.Error(t, err)
}
