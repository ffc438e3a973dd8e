package apiserver

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestServerAddressIsHostAndPortOfURL(t *testing.T) {
	addresses, err := Addresses([]string{"https://10.10.0.11:6443", "https://[fd00::1]:6443"})
	require.NoError(t, err)
	assert.Equal(t, []string{"10.10.0.11:6443", "[fd00::1]:6443"}, addresses)
	_, err = Addresses([]string{"https://10.10.0.11:6443", "https://a b"})
	assert.ErrorContains(t, err, `server "https://a b"`)
}
