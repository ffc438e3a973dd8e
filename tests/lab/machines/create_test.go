package machines

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A creation that is killed while it writes the spec leaves a directory with a temporary file. The
// next creation must treat only such a directory as its own.
func TestDirectoryIsOursOnlyIfEmptyOrWithPartialSpec(t *testing.T) {
	for name, test := range map[string]struct {
		files []string
		ours  bool
	}{
		"empty":                           {nil, true},
		"a partial spec":                  {[]string{".spec.json-4711"}, true},
		"two partial specs":               {[]string{".spec.json-1", ".spec.json-2"}, true},
		"another file":                    {[]string{"data"}, false},
		"a partial spec and another file": {[]string{".spec.json-1", "data"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for _, file := range test.files {
				require.NoError(t, os.WriteFile(filepath.Join(folder, file), nil, 0o600))
			}
			assert.Equal(t, test.ours, dir(folder).isUnwritten())
		})
	}
	assert.True(t, dir(filepath.Join(t.TempDir(), "missing")).isUnwritten())
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, ".spec.json-1"), nil, 0o600))
	assert.False(t, dir(filepath.Join(folder, ".spec.json-1")).isUnwritten(), "a file is no folder of ours")
}
