package localstate

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain unsets the variables that select a state backend or a passphrase.
func TestMain(m *testing.M) {
	for _, name := range append(chosenBy, "PULUMI_CREDENTIALS_PATH") {
		_ = os.Unsetenv(name)
	}
	os.Exit(m.Run())
}

// project returns a project's folder. more is added to its Pulumi.yaml.
func project(t *testing.T, more string) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t,
		os.WriteFile(filepath.Join(folder, "Pulumi.yaml"),
			[]byte("name: strata\nruntime: go\n"+more), 0o600))
	return folder
}

func TestFindChoiceDetectsEveryBackendSetting(t *testing.T) {
	t.Setenv("PULUMI_HOME", t.TempDir())
	folder := project(t, "")
	chosen, err := FindChoice(folder)
	require.NoError(t, err)
	assert.Empty(t, chosen)

	pulumi := t.TempDir()
	t.Setenv("PULUMI_HOME", pulumi)
	require.NoError(t, os.WriteFile(filepath.Join(pulumi, "credentials.json"),
		[]byte(`{"current":"file://~"}`), 0o600))
	chosen, err = FindChoice(folder)
	require.NoError(t, err)
	assert.Equal(t, "pulumi login", chosen)

	folder = project(t, "backend: {url: 's3://states'}\n")
	chosen, err = FindChoice(folder)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(folder, "Pulumi.yaml"), chosen)

	t.Setenv("PULUMI_CONFIG_PASSPHRASE", "")
	chosen, err = FindChoice(folder)
	require.NoError(t, err)
	assert.Equal(t, "PULUMI_CONFIG_PASSPHRASE", chosen, "an empty passphrase is one, too")
}

// The shell file must work even if a folder's name has quotes, spaces or a dollar sign.
func TestPreparedShellFileSetsPathBackendAndPassphrase(t *testing.T) {
	t.Setenv("HOME", filepath.Join(t.TempDir(), "ada's $HOME"))
	home := os.Getenv("HOME")
	programs := filepath.Join(home, "bin")
	env, err := Prepare(programs)
	require.NoError(t, err)
	out, err := exec.Command("sh", "-c",
		`. "$1"; printf '%s\n' "$PATH" "$PULUMI_BACKEND_URL" "$PULUMI_CONFIG_PASSPHRASE_FILE"`,
		"sh", env).Output()
	require.NoError(t, err)
	state := filepath.Join(home, ".strata/state")
	passphrase := filepath.Join(home, ".strata/passphrase")
	assert.Equal(t, programs+":"+os.Getenv("PATH")+"\nfile://"+state+"?metadata=skip\n"+passphrase+
		"\n", string(out))
	for path, mode := range map[string]os.FileMode{state: 0o700, passphrase: 0o600, env: 0o600,
		filepath.Dir(env): 0o700} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode().Perm(), path)
	}
}

// The passphrase may protect the secrets of other stacks, so Prepare must never replace it.
func TestPrepareKeepsExistingPassphrase(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	_, err := Prepare("/bin")
	require.NoError(t, err)
	path := filepath.Join(os.Getenv("HOME"), ".strata/passphrase")
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Len(t, strings.TrimSpace(string(before)), 44, "32 bytes in base64")
	_, err = Prepare("/bin")
	require.NoError(t, err)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, after)
}

// A second `strata init` in the same shell must use the same state.
func TestIsSelectedRequiresAllVariablesOfShellFile(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	shell, err := Prepare("/opt/strata")
	require.NoError(t, err)
	set, err := exec.Command("sh", "-c", ". "+shell+
		`; printf '%s\n%s' "$PULUMI_BACKEND_URL" "$PULUMI_CONFIG_PASSPHRASE_FILE"`).Output()
	require.NoError(t, err)
	url, passphrase, _ := strings.Cut(string(set), "\n")
	t.Setenv("PULUMI_BACKEND_URL", url)
	t.Setenv("PULUMI_CONFIG_PASSPHRASE_FILE", passphrase)
	assert.True(t, IsSelected())
	t.Setenv("PULUMI_CONFIG_PASSPHRASE_FILE", "/elsewhere")
	assert.False(t, IsSelected())
}
