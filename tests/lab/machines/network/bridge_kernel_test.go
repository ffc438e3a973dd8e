package network

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"strata/tests/lab/machines/host"
)

// inNamespace moves the test's goroutine into new network and mount namespaces, with its own /sys
// and /run. They are removed when the goroutine's locked thread ends.
func inNamespace(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("a network namespace needs root")
	}
	runtime.LockOSThread()
	err := unix.Unshare(unix.CLONE_NEWNET | unix.CLONE_NEWNS)
	if errors.Is(err, unix.EPERM) {
		t.Skip("this root may make no network namespace")
	}
	require.NoError(t, err)
	require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	require.NoError(t, unix.Mount("sysfs", "/sys", "sysfs", 0, ""))
	require.NoError(t, unix.Mount("tmpfs", "/run", "tmpfs", 0, ""))
}

func run(t *testing.T, command string) string {
	t.Helper()
	out, err := host.Run(t.Context(), strings.Fields(command)...)
	require.NoError(t, err)
	return string(out)
}

// ruleCount returns the number of iptables rules with the bridge's comment.
func ruleCount(t *testing.T) int {
	t.Helper()
	return strings.Count(run(t, "iptables -t filter -S")+run(t, "iptables -t nat -S"), "strata:strata0")
}

func exists(link string) bool {
	_, err := os.Lstat(sysNet(link))
	return err == nil
}

// listener records the messages of say.
type listener struct{ said []string }

func (l *listener) say(format string, args ...any) {
	l.said = append(l.said, fmt.Sprintf(format, args...))
}

func free() error           { return nil }
func unused() (bool, error) { return false, nil }

func TestBridgeIsMadeOnceAndRemovedWithItsLastMachine(t *testing.T) {
	inNamespace(t)
	var log listener
	require.ErrorContains(t,
		testBridge.Ensure(t.Context(), func() error { return errors.New("taken") }, log.say), "taken")
	assert.False(t, exists("strata0"))
	for range 2 {
		require.NoError(t, testBridge.Ensure(t.Context(), free, log.say))
	}
	assert.Equal(t, []string{"making bridge strata0 with 10.10.0.1/24"}, log.said)
	have, err := linkAddresses(t.Context(), "strata0")
	require.NoError(t, err)
	assert.Equal(t, []netip.Prefix{netip.MustParsePrefix("10.10.0.1/24")}, have)
	assert.Equal(t, 3, ruleCount(t))

	require.NoError(t, testBridge.Release(t.Context(), func() (bool, error) { return true, nil }, log.say))
	assert.True(t, exists("strata0"), "a machine is on it")
	assert.Equal(t, 3, ruleCount(t))
	for range 2 {
		require.NoError(t, testBridge.Release(t.Context(), unused, log.say))
		assert.False(t, exists("strata0"))
		assert.Zero(t, ruleCount(t))
	}
}

func TestIncompleteBridgeIsCompleted(t *testing.T) {
	inNamespace(t)
	run(t, "ip link add strata0 type bridge")
	run(t, "ip link set strata0 alias strata")
	require.NoError(t, testBridge.Ensure(t.Context(), free, new(listener).say))
	have, err := linkAddresses(t.Context(), "strata0")
	require.NoError(t, err)
	assert.Equal(t, []netip.Prefix{netip.MustParsePrefix("10.10.0.1/24")}, have)
}

func TestBridgeWithForeignPortIsNotRemoved(t *testing.T) {
	inNamespace(t)
	var log listener
	require.NoError(t, testBridge.Ensure(t.Context(), free, log.say))
	run(t, "ip link add port0 type veth peer name port1")
	run(t, "ip link set port0 master strata0")
	require.NoError(t, testBridge.Release(t.Context(), unused, log.say))
	assert.True(t, exists("strata0"))
	assert.Contains(t, log.said, "bridge strata0 stays: port0 is plugged into it, which is not a machine of Strata")
}

func TestForeignInterfacesAreNotChanged(t *testing.T) {
	for _, tc := range []struct{ name, make, want string }{
		{"a bridge with another address",
			"ip link add strata0 type bridge; ip addr add 10.99.9.1/24 dev strata0",
			"expected address 10.10.0.1/24, found [10.99.9.1/24]"},
		{"a bridge without an address", "ip link add strata0 type bridge", "expected address 10.10.0.1/24, found []"},
		{"an interface that is no bridge", "ip link add strata0 type veth peer name other",
			"an interface of that name exists and is not a bridge"},
		{"a route that overlaps the subnet",
			"ip link add lan0 type bridge; ip link set lan0 up; ip addr add 10.10.0.9/16 dev lan0",
			"collides with this host's route"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inNamespace(t)
			for _, command := range strings.Split(tc.make, ";") {
				run(t, command)
			}
			before := run(t, "ip -o link show") + run(t, "ip -o -4 addr show")
			require.ErrorContains(t, testBridge.Ensure(t.Context(), free, new(listener).say), tc.want)
			require.NoError(t, testBridge.Release(t.Context(), unused, new(listener).say))
			assert.Equal(t, before, run(t, "ip -o link show")+run(t, "ip -o -4 addr show"))
			assert.Zero(t, ruleCount(t))
		})
	}
}
