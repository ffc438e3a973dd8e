package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"strata/artifacts"
	"strata/config"
)

// opened returns a bundle of a project with one stack file.
func opened(t *testing.T, dir string) (*bundle, error) {
	t.Helper()
	return openStack(t, dir, "config: {}\n")
}

func openStack(t *testing.T, dir, stackFile string) (*bundle, error) {
	t.Helper()
	project := t.TempDir()
	file := filepath.Join(project, "Pulumi.test.yaml")
	require.NoError(t, os.WriteFile(file, []byte(stackFile), 0o600))
	b, err := open(t.Context(), project, "test", file, dir)
	if b != nil {
		b.out = io.Discard
		t.Cleanup(func() { assert.NoError(t, b.close()) })
	}
	return b, err
}

func TestBundleRefusesStackWithESCEnvironment(t *testing.T) {
	// downloads sets both variables. Setenv restores them after the test.
	t.Setenv(config.ArtifactsVariable, "")
	t.Setenv(config.MachineImageVariable, "")
	b, err := openStack(t, filepath.Join(t.TempDir(), "bundle"), "environment: [shared/dev]\n")
	require.NoError(t, err)
	require.ErrorContains(t, b.downloads(t.Context()), "environment: has values of Pulumi ESC")
}

func TestBundleRefusesFolderWithForeignFiles(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "thesis.txt")
	require.NoError(t, os.WriteFile(own, []byte("mine"), 0o600))
	_, err := opened(t, dir)
	require.ErrorContains(t, err, "is not empty, and no bundle that this command made")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

func TestBundleHasChecksumsOnlyAfterFinish(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bundle")
	b, err := opened(t, dir)
	require.NoError(t, err)
	require.NoError(t, b.script("env", "text", 0o755))
	require.NoError(t, b.finish())
	assert.FileExists(t, filepath.Join(dir, sumsFile))
	checked := exec.CommandContext(t.Context(), "sha256sum", "--check", "--quiet", sumsFile)
	checked.Dir = dir
	output, err := checked.CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.NoError(t, artifacts.VerifyBundle(dir, io.Discard))
	require.NoError(t, b.close())

	b, err = opened(t, dir)
	require.NoError(t, err)
	assert.NoFileExists(t, filepath.Join(dir, sumsFile), "what changes is not whole")
	require.NoError(t, b.script("other", "text", 0o644))
	require.NoError(t, b.finish())
	assert.NoFileExists(t, filepath.Join(dir, "env"), "what is not asked for any more goes")
	assert.FileExists(t, filepath.Join(dir, "other"))
}

func TestImageArchiveIsReusedOnlyIfUnchanged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bundle")
	b, err := opened(t, dir)
	require.NoError(t, err)
	require.NoError(t, b.script("images/a.tar", "image", 0o644))
	require.NoError(t, b.finish())
	require.NoError(t, b.close())
	b, err = opened(t, dir)
	require.NoError(t, err)
	has := func(origin string) bool {
		_, still := b.formerSum(origin, "images/a.tar")
		return still
	}
	assert.True(t, has("real: this project's"))
	assert.False(t, has("real: another@sha256:abc"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "images/a.tar"), []byte("other"), 0o600))
	assert.False(t, has("real: this project's"))
}

func TestBundledProjectRunsCompiledProgram(t *testing.T) {
	text, err := os.ReadFile("../../Pulumi.yaml")
	require.NoError(t, err)
	text, err = withProgram(text)
	require.NoError(t, err)
	var project struct {
		Name    string
		Runtime struct {
			Name    string
			Options map[string]string
		}
		Config map[string]any
	}
	require.NoError(t, yaml.Unmarshal(text, &project))
	assert.Equal(t, "strata", project.Name)
	assert.Equal(t, map[string]string{"binary": programFile}, project.Runtime.Options)
	assert.NotEmpty(t, project.Config)
}

// The environment script runs in a shell with its own Go. The bundle's folder has a space in its
// name.
func TestEnvironmentScriptUsesBundleFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a bundle")
	require.NoError(t, os.Mkdir(dir, 0o755))
	script := filepath.Join(dir, envFile)
	require.NoError(t, os.WriteFile(script, []byte(environment), 0o700))
	run := exec.CommandContext(t.Context(), "sh", "-euc",
		`eval "$("$0")"; echo "$PATH"; echo "$PULUMI_HOME"; echo "$STRATA_ARTIFACTS"`, script)
	run.Env = []string{"PATH=/usr/bin:/bin"}
	output, err := run.CombinedOutput()
	require.NoError(t, err, "%s", output)
	assert.Equal(t, dir+"/pulumi/bin:"+dir+"/project/.strata/bin:/usr/bin:/bin:"+dir+
		"/pulumi/without-go\n"+dir+"/pulumi\n"+dir+"\n", string(output))
}

func TestGoStandInReportsOnlyVersion(t *testing.T) {
	script := filepath.Join(t.TempDir(), "go")
	require.NoError(t, os.WriteFile(script, []byte(withoutGo), 0o700))
	var said bytes.Buffer
	run := exec.CommandContext(t.Context(), script, "version")
	run.Stdout = &said
	require.NoError(t, run.Run())
	assert.Equal(t, "go version VERSION linux/ARCH\n", said.String())
	output, err := exec.CommandContext(t.Context(), script, "build", ".").CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(output), "this machine has no Go")
}
