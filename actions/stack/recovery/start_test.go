package recovery

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recordOfStart returns the kernel's record of a process with this number of arguments.
func recordOfStart(count uint32, texts string) []byte {
	return append(binary.NativeEndian.AppendUint32(nil, count), texts...)
}

func TestMacOSProcessArgumentsAreParsed(t *testing.T) {
	found, err := parseStart(
		recordOfStart(3, "/h/pulumi-resource-command\x00\x00\x00\x00\x00pulumi-resource-command\x00\x00127.0.0.1:1\x00"+
			"PULUMI_ENGINE=127.0.0.1:2\x00HOME=/Users/me\x00\x00ptr_munge=\x00"))
	require.NoError(t, err)
	assert.Equal(t, "/h/pulumi-resource-command", found.program)
	assert.Equal(t, []string{"pulumi-resource-command", "", "127.0.0.1:1"}, found.args,
		"an empty argument is one")
	assert.Equal(t, []string{"PULUMI_ENGINE=127.0.0.1:2", "HOME=/Users/me"}, found.environment)
}

func TestTruncatedProcessArgumentsAreAnError(t *testing.T) {
	for name, raw := range map[string][]byte{
		"nothing": nil, "a number": recordOfStart(1, ""),
		"no arguments":    recordOfStart(0, "/bin/sh\x00\x00sh\x00"),
		"fewer arguments": recordOfStart(3, "/bin/sh\x00\x00sh\x00-c"),
		"a path alone":    recordOfStart(1, "/bin/sh"),
	} {
		_, err := parseStart(raw)
		require.Error(t, err, name)
	}
}

func TestProcessFoldersAreReadFromLsof(t *testing.T) {
	assert.Equal(t, map[int]string{12: "/p", 340: "/p/with space"},
		parseFolders("p12\nfcwd\nn/p\np340\nfcwd\nn/p/with space\np7\nfcwd\n"))
	assert.Empty(t, parseFolders(""))
}
