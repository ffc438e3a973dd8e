package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/cli/scaffold/scaffoldtest"
)

// atHome runs init for one host, with an empty home directory and no selected state backend.
func atHome(t *testing.T, index int, more ...string) (code int, stdout, stderr, home string) {
	t.Helper()
	host, project, home := scaffoldtest.New(t, index), scaffoldtest.Project(t), t.TempDir()
	key := scaffoldtest.Key(t, host)
	t.Setenv("PATH", t.TempDir())
	t.Setenv("HOME", home)
	code, stdout, stderr = invoke(t, "",
		append([]string{"init", "dev", "--project", project, "--key", key, "--known-hosts",
			os.DevNull, "--accept-new", "--host", host.Argument()}, more...)...)
	return code, stdout, stderr, home
}

func TestInitWithLocalStateFlagPreparesState(t *testing.T) {
	code, stdout, stderr, home := atHome(t, 35, "--local-state")
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "Next:\n\n  . "+home+"/.strata/env\n  pulumi stack init dev\n")
	passphrase, err := os.ReadFile(filepath.Join(home, ".strata/passphrase"))
	require.NoError(t, err)
	assert.NotContains(t, stdout+stderr, string(passphrase))
}

// Standard input is no terminal, so init cannot ask.
func TestInitWithoutLocalStateFlagPreparesNoState(t *testing.T) {
	code, stdout, stderr, home := atHome(t, 36)
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "Choose where Pulumi keeps the state")
	assert.NoDirExists(t, filepath.Join(home, ".strata"))
}

func TestInitRefusesLocalStateFlagWhenBackendIsSelected(t *testing.T) {
	t.Setenv("PULUMI_BACKEND_URL", "s3://states")
	code, _, stderr, home := atHome(t, 37, "--local-state")
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "--local-state: a state or a passphrase is chosen already, by PULUMI_BACKEND_URL")
	assert.NoDirExists(t, filepath.Join(home, ".strata"))
}

// A stack on an existing cluster has no hosts to log in to.
func TestInitWithoutHostPreparesOnlyState(t *testing.T) {
	home, project := t.TempDir(), scaffoldtest.Project(t)
	t.Setenv("HOME", home)
	code, stdout, stderr := invoke(t, "", "init", "mine", "--local-state", "--project", project)
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "docs/existing-clusters.md")
	assert.Contains(t, stdout, "Next:\n\n  . "+home+"/.strata/env\n  pulumi stack init mine\n"+
		"  strata fetch\n  strata preflight -s mine\n  pulumi up -s mine\n")
	assert.FileExists(t, filepath.Join(home, ".strata/passphrase"))
	assert.NoFileExists(t, filepath.Join(project, "Pulumi.mine.yaml"))

	// The second init runs in a shell that has read ~/.strata/env.
	t.Setenv("PULUMI_BACKEND_URL", "file://"+home+"/.strata/state?metadata=skip")
	t.Setenv("PULUMI_CONFIG_PASSPHRASE_FILE", home+"/.strata/passphrase")
	code, stdout, stderr = invoke(t, "", "init", "second", "--local-state", "--project", project)
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "Next:\n\n  pulumi stack init second\n")
}

func TestInitWithoutHostRefusesInvalidStackName(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	code, _, stderr := invoke(t, "", "init", "my stack", "--local-state", "--project",
		scaffoldtest.Project(t))
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, `stack "my stack": use at most 100 letters`)
	assert.NoDirExists(t, filepath.Join(home, ".strata"))
}
