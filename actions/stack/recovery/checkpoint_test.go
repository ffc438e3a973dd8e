package recovery

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTruncatedCheckpointIsRestoredFromBackup(t *testing.T) {
	const good = `{"version":3}`
	for name, story := range map[string]struct {
		content, backup string // "-": there is no such file
		interrupted     bool
		want            string
		fails           bool
	}{
		"whole": {content: `{"version":4}`, backup: good,
			interrupted: true, want: `{"version":4}`},
		"cut off": {content: `{"vers`, backup: good, want: good},
		"empty": {content: ``, backup: good, interrupted: true,
			want: good},
		"missing after a kill": {content: "-", backup: good, interrupted: true,
			want: good},
		"missing because the stack was removed": {content: "-", backup: good, want: "-"},
		"missing before the first checkpoint": {content: "-", backup: "-", interrupted: true,
			want: "-"},
		"cut off like its backup": {content: `{`, backup: `{`, interrupted: true,
			want: `{`, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			backend, err := b.backend(t.Context())
			require.NoError(t, err)
			file := filepath.Join(backend, ".pulumi/stacks/strata/local.json")
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			for path, content := range map[string]string{file: story.content, file + ".bak": story.backup} {
				if content != "-" {
					require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
				}
			}
			err = b.restoreCheckpoint(backend, story.interrupted)
			if story.fails {
				require.ErrorContains(t, err, "pulumi stack import")
			} else {
				require.NoError(t, err)
			}
			now, err := os.ReadFile(file)
			if story.want == "-" {
				require.ErrorIs(t, err, os.ErrNotExist)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, story.want, string(now))
		})
	}
}

func TestTruncatedAttributeFilesAreRemoved(t *testing.T) {
	b := newBench(t)
	backend, err := b.backend(t.Context())
	require.NoError(t, err)
	stacks := filepath.Join(backend, ".pulumi/stacks/strata")
	locks := filepath.Join(backend, ".pulumi/locks/organization/strata/local")
	require.NoError(t, os.MkdirAll(stacks, 0o755))
	require.NoError(t, os.MkdirAll(locks, 0o755))
	for path, content := range map[string]string{
		filepath.Join(stacks, "local.json"):           `{"version":3}`,
		filepath.Join(stacks, "local.json.attrs"):     ``,
		filepath.Join(stacks, "local.json.bak.attrs"): `{"md5":"x"}`,
		filepath.Join(stacks, "other.json.attrs"):     ``,
		filepath.Join(locks, "a.json.attrs"):          `{"md`,
	} {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	require.NoError(t, b.restoreCheckpoint(backend, true))
	assert.NoFileExists(t, filepath.Join(stacks, "local.json.attrs"),
		"Pulumi: failed to load checkpoint: EOF")
	assert.NoFileExists(t, filepath.Join(locks, "a.json.attrs"))
	assert.FileExists(t, filepath.Join(stacks, "local.json.bak.attrs"), "a whole one stays")
	assert.FileExists(t, filepath.Join(stacks, "other.json.attrs"), "another stack is not ours")
}
