package tunnel

import (
	"context"
	"net"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

// rejected returns a tunnel that has lost its jump host. The jump host rejects the tunnel's key
// from then on, like a revoked one.
func rejected(t *testing.T) tunnelled {
	t.Helper()
	tunnel := served(t, time.Minute)
	tunnel.jump.AcceptKeyOf(sshtest.New(t))
	tunnel.jump.Cut()
	require.Eventually(t, func() bool { return told(t, tunnel).Trouble != "" }, 10*time.Second,
		10*time.Millisecond)
	return tunnel
}

// away returns a tunnel whose jump host is unreachable, as during a reboot, until back is called.
func away(t *testing.T) (tunnel tunnelled, back func()) {
	t.Helper()
	tunnel = served(t, time.Minute)
	require.NoError(t, tunnel.at.Close())
	tunnel.jump.Cut()
	require.Eventually(t, func() bool { return told(t, tunnel).Trouble != "" }, 10*time.Second,
		10*time.Millisecond)
	return tunnel, func() {
		at, err := net.Listen("tcp", tunnel.at.Addr().String())
		if assert.NoError(t, err) {
			tunnel.jump.Serve(t, at)
		}
	}
}

// told returns a tunnel's answer to a greeting.
func told(t *testing.T, tunnel tunnelled) answer {
	t.Helper()
	lease, found, err := greet(t.Context(), tunnel.Address())
	require.NoError(t, err)
	lease.Close()
	return found
}

// "sshd of … refused ed25519 …" contains "refused". The SOCKS library interprets this word as a
// refused connection.
func TestRejectedTunnelKeyIsNotReportedAsRefusedConnection(t *testing.T) {
	tunnel := rejected(t)
	_, err := Dialer(tunnel.Spec, net.Dialer{})(t.Context(), "tcp", api(t).Listener.Addr().String())
	require.NotErrorIs(t, err, syscall.ECONNREFUSED)
	var down *DownError
	require.ErrorAs(t, err, &down)
	assert.Contains(t, down.Why, "private key not accepted")
}

// A login takes up to 30 s, but each attempt of a gate ends after 3 s. So the reason must be
// reported before the login ends.
func TestUnreachableJumpHostIsReported(t *testing.T) {
	tunnel, _ := away(t)
	texts := map[string]bool{}
	for range 2 {
		_, err := Dialer(tunnel.Spec, net.Dialer{Timeout: 3 * time.Second})(t.Context(), "tcp",
			api(t).Listener.Addr().String())
		var down *DownError
		require.ErrorAs(t, err, &down)
		texts[down.Why] = true
	}
	assert.Len(t, texts, 1, "a gate would report each: %v", texts)
}

// A jump host without power is silent. The tunnel closes the connection to it only when its
// keepalives are overdue.
func TestSilentJumpHostIsReportedAsJumpHostFault(t *testing.T) {
	tunnel := served(t, time.Minute)
	tunnel.jump.Silence()
	_, err := Dialer(tunnel.Spec, net.Dialer{Timeout: 3 * time.Second})(t.Context(), "tcp",
		api(t).Listener.Addr().String())
	var down *DownError
	require.ErrorAs(t, err, &down)
	assert.Contains(t, down.Why, "it gives no answer")
}

// The jump host works, but packets to the address behind it are dropped.
func TestConnectionToSilentAddressTimesOut(t *testing.T) {
	tunnel := served(t, time.Minute)
	tunnel.jump.Swallow = "192.0.2.1:6443"
	_, err := Dialer(tunnel.Spec, net.Dialer{Timeout: 2 * time.Second})(t.Context(), "tcp",
		tunnel.jump.Swallow)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err = Dialer(tunnel.Spec, net.Dialer{})(ctx, "tcp", tunnel.jump.Swallow)
	require.ErrorIs(t, err, context.Canceled)
}

// A login that hangs has no result yet when the attempt to connect times out.
func TestHangingLoginIsReportedAsJumpHostFault(t *testing.T) {
	tunnel := served(t, time.Minute)
	tunnel.jump.Silence()
	tunnel.jump.Cut()
	require.Eventually(t, func() bool { return told(t, tunnel).Pending }, 10*time.Second,
		10*time.Millisecond)
	for _, patient := range []time.Duration{300 * time.Millisecond, 0} {
		start := time.Now()
		_, err := Dialer(tunnel.Spec, net.Dialer{Timeout: patient})(t.Context(), "tcp",
			"10.0.0.1:6443")
		var down *DownError
		require.ErrorAs(t, err, &down)
		assert.Contains(t, down.Why, "it is being logged in to")
		assert.Less(t, time.Since(start), 3*time.Second,
			"net/http gives up by itself then, and says that the address is silent")
	}
}

// A host that does not answer may be booting. So the tunnel retries all the time, and the reported
// reason stays the same in all tries.
func TestUnansweredJumpHostLoginIsRetriedWithoutPause(t *testing.T) {
	spec := Spec{Via: []remote.Hop{sshtest.Start(t).Hop()}}
	_, port, err := net.SplitHostPort(closedPort(t))
	require.NoError(t, err)
	spec.Via[0].Port, err = strconv.Atoi(port)
	require.NoError(t, err)
	key, _ := sshtest.NewKey(t)
	host := newJumpHost(t.Context(), spec, key)
	host.limit = 200 * time.Millisecond
	_, err = host.login(t.Context())
	require.EqualError(t, err,
		"jump host "+spec.last()+": connection refused: sshd is not listening (connection refused)")
	assert.Zero(t, host.until)
}

func TestRefusedForwardingDoesNotAffectLaterConnections(t *testing.T) {
	tunnel, server := served(t, time.Minute), api(t)
	dial := Dialer(tunnel.Spec, net.Dialer{})
	tunnel.jump.Forwards = false
	var down *DownError
	_, err := dial(t.Context(), "tcp", closedPort(t))
	require.ErrorAs(t, err, &down)
	tunnel.jump.Forwards = true
	conn, err := dial(t.Context(), "tcp", server.Listener.Addr().String())
	require.NoError(t, err, "connections pass again")
	require.NoError(t, conn.Close())
	_, err = dial(t.Context(), "tcp", "nowhere.invalid:6443")
	require.ErrorContains(t, err, "no such host")
	require.NotErrorAs(t, err, &down, "the far end does not reach it; the jump host forwards")
}

// Gates dial 10 to 40 times a second. A login for each would make a jump host with fail2ban, or
// with OpenSSH's PerSourcePenalties, block this machine.
func TestRejectedLoginIsNotRetriedPerConnection(t *testing.T) {
	tunnel, server := rejected(t), api(t)
	logins := tunnel.jump.Connections()
	dial := Dialer(tunnel.Spec, net.Dialer{})
	for range 20 {
		_, err := dial(t.Context(), "tcp", server.Listener.Addr().String())
		require.ErrorContains(t, err, "private key not accepted", "the last login's")
	}
	assert.Equal(t, logins, tunnel.jump.Connections())
}

func TestLoginPausesGrowToThirtySeconds(t *testing.T) {
	var pauses []time.Duration
	for growing := loginPauses; len(pauses) < 6; {
		pauses = append(pauses, growing.Step())
	}
	assert.Equal(t, []time.Duration{2e9, 4e9, 8e9, 16e9, 30e9, 30e9}, pauses)
}

// When sshd listens again, the reboot is over, and the next connection must pass.
func TestRebootedJumpHostIsReconnectedAtOnce(t *testing.T) {
	tunnel, back := away(t)
	server := api(t)
	dial := Dialer(tunnel.Spec, net.Dialer{})
	_, err := dial(t.Context(), "tcp", server.Listener.Addr().String())
	require.Error(t, err)
	back()
	start := time.Now()
	conn, err := dial(t.Context(), "tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	assert.Less(t, time.Since(start), patience)
}

// Two stacks may use the same port, and their sites the same private addresses. A connection must
// not end in the other stack's site.
func TestTunnelOfAnotherStackIsNotUsed(t *testing.T) {
	tunnel, server := served(t, time.Minute), api(t)
	other := tunnel.Spec
	other.Via = append(other.Via[:0:0], other.Via...)
	other.Via[0].User = "other"
	_, err := Dialer(other, net.Dialer{})(t.Context(), "tcp", server.Listener.Addr().String())
	var down *DownError
	require.ErrorAs(t, err, &down)
	assert.Contains(t, down.Why, "in use")
	assert.Contains(t, down.Why, "strata:hosts.ssh.dynamicForward")
	assert.Empty(t, tunnel.jump.Onward())
}

func TestPortOfForeignSOCKSProxyIsNotUsed(t *testing.T) {
	proxy := socksProxy(t, nil)
	_, port, err := net.SplitHostPort(proxy)
	require.NoError(t, err)
	number, err := net.DefaultResolver.LookupPort(t.Context(), "tcp", port)
	require.NoError(t, err)
	_, err = Dialer(Spec{Port: number}, net.Dialer{})(t.Context(), "tcp",
		api(t).Listener.Addr().String())
	var down *DownError
	require.ErrorAs(t, err, &down)
	assert.Contains(t, down.Why, "another program's")
}
