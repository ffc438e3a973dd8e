package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/tests/pulumitest"
)

// The engine uses either of two duplicate keys. Values of an ESC environment reach only the
// program.
func TestDuplicateKeysAndESCEnvironmentsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"  traefik: {replicas: 3}\n  strata:traefik: " +
			"{replicas: 4}\n": "strata:traefik: is written twice, as strata:traefik and as " +
			"traefik; keep one of them: Pulumi takes either",
		"  strata:config:traefik: {}\n  strata:traefik: " +
			"{replicas: 4}\n": "strata:traefik: is written twice, as strata:config:traefik and as strata:traefik",
		"  strata:traefik: {}\nenvironment: " +
			"[shared/dev]\n": "environment: has values of Pulumi ESC, which only pulumi up and " +
			"preview see; name a copy of the file",
		"  strata:traefik: {}\nenvironment: {values: {pulumiConfig: {}}}\n": "environment: has values of Pulumi ESC",
	} {
		_, err := pulumitest.NewStackFile(t, "", text).Read()
		assert.ErrorContains(t, err, want)
	}
	_, err := pulumitest.NewStackFile(t, "", "  strata:traefik: {}\nenvironment: []\n").Read()
	assert.NoError(t, err)
}

func TestUnqualifiedKeysOfAnotherProjectAreRefused(t *testing.T) {
	s := pulumitest.NewStackFile(t, "", "  traefik: {replicas: 3}\n")
	require.NoError(t, os.WriteFile(filepath.Join(s.Folder, "Pulumi.yaml"),
		[]byte("name: platform\nruntime: go\n"), 0o600))
	_, err := s.Read()
	require.ErrorContains(t, err, "platform:traefik: is not read: Strata's keys begin with "+
		"strata:; did you mean strata:traefik?")
}

func TestStackFilesAreFoundByStacksNames(t *testing.T) {
	t.Setenv(config.ArtifactsVariable, "")
	s := pulumitest.NewStackFile(t, "", "")
	assert.Equal(t, s.File, config.StackFile(s.Folder, "org/strata/dev"))
	cfg, err := config.OfStack(s.Folder, "org/strata/dev", s.File)
	require.NoError(t, err)
	assert.Equal(t, "dev", cfg.Stack)
	cfg, err = config.OfStack(t.TempDir(), "dev", s.File)
	require.NoError(t, err, "a folder without project has no defaults")
	assert.Equal(t, "dev", cfg.Stack)

	dotted := filepath.Join(s.Folder, "Pulumi.a.b.yaml")
	require.NoError(t, os.Rename(s.File, dotted))
	cfg, err = config.FromFile(dotted)
	require.NoError(t, err)
	assert.Equal(t, "a.b", cfg.Stack)
	_, err = config.FromFile(filepath.Join(s.Folder, "stack.yaml"))
	require.ErrorContains(t, err, "expected a stack file named Pulumi.<stack>.yaml")
	_, err = config.FromFile(s.File)
	assert.ErrorIs(t, err, os.ErrNotExist)
}
