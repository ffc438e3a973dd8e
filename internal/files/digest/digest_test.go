package digest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/files/digest"
)

// abc is the sum of "abc" (FIPS 180-2, B.1).
const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

func TestSumsAreInLowerCaseHex(t *testing.T) {
	assert.Equal(t, abc, digest.Sum([]byte("abc")))
	assert.Equal(t, abc[:16], digest.Short([]byte("abc")))
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte("abc"), 0o600))
	sum, err := digest.File(file)
	require.NoError(t, err)
	assert.Equal(t, abc, sum)
	_, err = digest.File(file + "-that-is-not-there")
	require.ErrorIs(t, err, os.ErrNotExist)
}
