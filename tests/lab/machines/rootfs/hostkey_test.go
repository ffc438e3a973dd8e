package rootfs

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHostKeyIsGeneratedOnceWithMode0600(t *testing.T) {
	l := Layer(t.TempDir())
	first, err := l.EnsureHostKey("server-1")
	require.NoError(t, err)
	second, err := l.EnsureHostKey("server-1")
	require.NoError(t, err)
	assert.Equal(t, AuthorizedForm(first), AuthorizedForm(second))
	info, err := os.Stat(l.hostKey())
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}
