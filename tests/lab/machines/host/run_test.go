package host

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCheckSystemNamesFixOnUnsupportedSystem(t *testing.T) {
	require.NoError(t, CheckSystem("linux"))
	err := CheckSystem("darwin")
	require.ErrorContains(t, err, "systemd-nspawn, which is part of Linux")
	require.ErrorContains(t, err, "this machine runs darwin")
	assert.ErrorContains(t, err, "strata:hosts.driver")
}
