package labenv_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/labenv"
	"strata/tests/lab/internal/layout"
)

// built returns a layout whose PULUMI_HOMEs have a CLI but no plugins.
func built(t *testing.T) layout.Layout {
	t.Helper()
	at := layout.Layout{Checkout: t.TempDir(), Cache: t.TempDir()}
	for _, home := range []string{at.PulumiHome(), at.OfficialPulumiHome()} {
		require.NoError(t, os.MkdirAll(filepath.Join(home, "bin"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(home, "bin", "pulumi"), nil, 0o755))
	}
	return at
}

func value(variables []labenv.Variable, name string) string {
	for _, variable := range variables {
		if variable.Name == name {
			return variable.Value
		}
	}
	return ""
}

func TestPassphraseIsPrivateAndReused(t *testing.T) {
	at := built(t)
	variables, err := labenv.Prepare(at, "", nil)
	require.NoError(t, err)
	path := value(variables, "PULUMI_CONFIG_PASSPHRASE_FILE")
	first, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(first), 20)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	_, err = labenv.Prepare(at, "", nil)
	require.NoError(t, err)
	second, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, first, second)
}

// A stack that does not name the bundle must not use the lab's K3s, whatever the shell's
// environment is.
func TestLabBundleIsFoundByLinkAndNotByVariable(t *testing.T) {
	at := built(t)
	own := at.Bundle()
	at.Originals = "/srv/originals"
	require.NoError(t, os.MkdirAll(filepath.Join(at.PulumiHome(), "bin"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(at.PulumiHome(), "bin", "pulumi"), nil, 0o755))
	for range 2 {
		variables, err := labenv.Prepare(at, "", nil)
		require.NoError(t, err)
		assert.Empty(t, value(variables, "STRATA_ARTIFACTS"))
		linked, err := os.Readlink(filepath.Join(at.Local(), "bundle"))
		require.NoError(t, err)
		assert.Equal(t, own, linked, "never one with originals")
	}
	moved := filepath.Join(at.Local(), "bundle")
	require.NoError(t, os.Remove(moved))
	require.NoError(t, os.Symlink("/elsewhere", moved))
	_, err := labenv.Prepare(at, "", nil)
	require.NoError(t, err)
	linked, err := os.Readlink(moved)
	require.NoError(t, err)
	assert.Equal(t, own, linked)
}

func TestPreparePicksPulumiHomeByPluginKind(t *testing.T) {
	at := built(t)
	standIn, err := labenv.Prepare(at, "", []string{"plugins/x"})
	require.NoError(t, err)
	assert.Equal(t, at.PulumiHome(), value(standIn, "PULUMI_HOME"))

	require.NoError(t, os.MkdirAll(filepath.Join(at.OfficialPulumiHome(), "plugins", "x"), 0o755))
	official, err := labenv.Prepare(at, "official", []string{"plugins/x"})
	require.NoError(t, err)
	assert.Equal(t, at.OfficialPulumiHome(), value(official, "PULUMI_HOME"))
}

func TestPrepareNamesFixForMissingPluginOrCLI(t *testing.T) {
	at := built(t)
	_, err := labenv.Prepare(at, "official", []string{"plugins/resource-command-v1.2.1"})
	assert.ErrorContains(t, err, "pulumi plugin install resource command 1.2.1")
	_, err = labenv.Prepare(at, "offical", nil)
	assert.ErrorContains(t, err, "expected stand-in or official")
	_, err = labenv.Prepare(layout.Layout{Checkout: t.TempDir(), Cache: t.TempDir()}, "", nil)
	assert.ErrorContains(t, err, "lab build")
}

func TestOnlyStaleTemporaryFilesAreCleared(t *testing.T) {
	at := built(t)
	dir := filepath.Join(at.Local(), "tmp")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	for _, name := range []string{"old", "young"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	yesterday := time.Now().Add(-24 * time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(dir, "old"), yesterday, yesterday))

	_, err := labenv.Prepare(at, "", nil)
	require.NoError(t, err)
	assert.NoFileExists(t, filepath.Join(dir, "old"))
	assert.FileExists(t, filepath.Join(dir, "young"))
}

func TestExportsKeepSpecialCharactersInAShell(t *testing.T) {
	text := labenv.Exports([]labenv.Variable{{Name: "STRANGE", Value: `a 'b' $c "d"`}})
	out, err := exec.Command("sh", "-c", text+`printf %s "$STRANGE"`).Output()
	require.NoError(t, err)
	assert.Equal(t, `a 'b' $c "d"`, string(out))
}
