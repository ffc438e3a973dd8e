package hypervisor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMACIsStableAndUniquePerMachine(t *testing.T) {
	first, second := Spec{Stack: "dev", Node: "server-1"}, Spec{Stack: "dev", Node: "server-2"}
	assert.Equal(t, first.MAC(), Spec{Stack: "dev", Node: "server-1", CPUs: 2}.MAC())
	assert.NotEqual(t, first.MAC(), second.MAC())
	assert.Regexp(t, `^52:54(:[0-9a-f]{2}){4}$`, first.MAC())
}

func TestOwnerMarkIsParsedOnlyFromWholeLine(t *testing.T) {
	mark := Mark{Stack: "dev", Node: "server-1", State: StateMade}
	assert.Equal(t, mark, MarkIn("moved to the new rack\n"+mark.Line()+"\n"))
	assert.Equal(t, Mark{}, MarkIn("strata stack=dev"))
	assert.Equal(t, Mark{}, MarkIn(""))
}

func TestImageSizeIsReadFromQcow2Header(t *testing.T) {
	file := filepath.Join(t.TempDir(), "disk.qcow2")
	header := []byte(
		"QFI\xfb\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00\x00\xa0\x00\x00\x00")
	require.NoError(t, os.WriteFile(file, header, 0o600))
	size, err := ImageGiB(file)
	require.NoError(t, err)
	assert.InDelta(t, 2.5, size, 0)
	for _, content := range []string{"", "a raw disk, which is longer than the header of a qcow2"} {
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		_, err = ImageGiB(file)
		assert.ErrorContains(t, err, "expected a qcow2 file")
	}
}
