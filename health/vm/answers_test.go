package vm

import (
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/hypervisor"
)

// A firewall may accept every connection, so an accepted connection proves no machine.
func TestMachineAnswersOnlyWithSSHBanner(t *testing.T) {
	for name, test := range map[string]struct {
		says string
		want bool
	}{
		"an SSH server":   {"SSH-2.0-OpenSSH_9.2\r\n", true},
		"a silent server": {"", false},
		"an HTTP server":  {"HTTP/1.1 400 Bad Request\r\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer func() { _ = listener.Close() }()
			go func() {
				if conn, err := listener.Accept(); err == nil {
					_, _ = conn.Write([]byte(test.says))
					defer func() { _ = conn.Close() }()
					_, _ = conn.Read(make([]byte, 1)) // until the client closes the connection
				}
			}()
			spec := hypervisor.Spec{}
			spec.Guest.Address = netip.MustParsePrefix("127.0.0.1/8")
			spec.Guest.Port = listener.Addr().(*net.TCPAddr).Port
			assert.Equal(t, test.want, answers(t.Context(), spec))
		})
	}
}
