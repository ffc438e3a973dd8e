// Package nettest has helpers for tests of network connections.
package nettest

import (
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Port is a loopback port that refuses connections: the test has bound it but does not listen. So
// no other process can take it.
type Port struct {
	Address netip.AddrPort

	socket *os.File
}

// Closed returns a port that stays closed until the test ends.
func Closed(t *testing.T) Port {
	t.Helper()
	descriptor, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	syscall.CloseOnExec(descriptor)
	socket := os.NewFile(uintptr(descriptor), "port")
	t.Cleanup(func() { _ = socket.Close() })
	loopback := [4]byte{127, 0, 0, 1}
	require.NoError(t, syscall.Bind(descriptor, &syscall.SockaddrInet4{Addr: loopback}))
	name, err := syscall.Getsockname(descriptor)
	require.NoError(t, err)
	number := uint16(name.(*syscall.SockaddrInet4).Port)
	return Port{Address: netip.AddrPortFrom(netip.AddrFrom4(loopback), number), socket: socket}
}

// Number returns the port's number.
func (p Port) Number() int { return int(p.Address.Port()) }

// Listen opens the port.
func (p Port) Listen() (net.Listener, error) {
	if err := syscall.Listen(int(p.socket.Fd()), syscall.SOMAXCONN); err != nil {
		return nil, err
	}
	return net.FileListener(p.socket)
}
