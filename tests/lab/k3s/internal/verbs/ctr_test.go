package verbs

import (
	"bytes"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestImportDecompressesZstdArchives(t *testing.T) {
	packer, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	for name, archive := range map[string][]byte{"tar": []byte("images"), "tar.zst": packer.EncodeAll([]byte("images"), nil)} {
		content, err := unpacked(bytes.NewReader(archive))
		require.NoError(t, err, name)
		found, err := io.ReadAll(content)
		require.NoError(t, err, name)
		assert.Equal(t, "images", string(found), name)
	}
}
