package network

import (
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLoopbackNameServersOfTheHostAreOmitted(t *testing.T) {
	conf := filepath.Join(t.TempDir(), "resolv.conf")
	require.NoError(t,
		os.WriteFile(conf,
			[]byte("search x\nnameserver 127.0.0.53\nnameserver fe80::1%eth0\nnameserver 10.0.0.53\n"), 0o644))
	servers, err := Nameservers(conf)
	require.NoError(t, err)
	assert.Equal(t, []netip.Addr{netip.MustParseAddr("10.0.0.53")}, servers)
}
