package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// stack is a project's folder with one stack's file, Pulumi.dev.yaml.
type stack struct{ folder, file string }

// newStack writes the stack file of an existing cluster with more lines below its config. project is
// the text below the name in Pulumi.yaml.
func newStack(t *testing.T, project, config string) stack {
	t.Helper()
	folder := t.TempDir()
	s := stack{folder, filepath.Join(folder, "Pulumi.dev.yaml")}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "Pulumi.yaml"), []byte("name: strata\nruntime: go\n"+project), 0o600))
	text := "config:\n  strata:cluster: {context: kind-kind}\n"
	if !strings.Contains(config+project, "metallb") {
		text += "  strata:metallb: {addresses: [10.0.0.1-10.0.0.9]}\n"
	}
	require.NoError(t, os.WriteFile(s.file, []byte(text+config), 0o600))
	return s
}

// asFile reads the stack as Strata's commands do.
func (s stack) asFile() (*config.Config, error) { return config.OfStack(s.folder, "dev", s.file) }

// The engine takes either of the two, and values of an environment reach the program alone.
func TestWhatOnlyAFileShowsIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"  traefik: {replicas: 3}\n  strata:traefik: {replicas: 4}\n":       "strata:traefik: is written twice, as strata:traefik and as traefik; keep one of them: Pulumi takes either",
		"  strata:config:traefik: {}\n  strata:traefik: {replicas: 4}\n":    "strata:traefik: is written twice, as strata:config:traefik and as strata:traefik",
		"  strata:traefik: {}\nenvironment: [shared/dev]\n":                 "environment: has values of Pulumi ESC, which only pulumi up and preview see; name a copy of the file",
		"  strata:traefik: {}\nenvironment: {values: {pulumiConfig: {}}}\n": "environment: has values of Pulumi ESC",
	} {
		_, err := newStack(t, "", text).asFile()
		assert.ErrorContains(t, err, want)
	}
	_, err := newStack(t, "", "  strata:traefik: {}\nenvironment: []\n").asFile()
	assert.NoError(t, err)
}

func TestUnqualifiedKeysOfAnotherProjectAreRefused(t *testing.T) {
	s := newStack(t, "", "  traefik: {replicas: 3}\n")
	require.NoError(t, os.WriteFile(filepath.Join(s.folder, "Pulumi.yaml"), []byte("name: platform\nruntime: go\n"), 0o600))
	_, err := s.asFile()
	require.ErrorContains(t, err, "platform:traefik: is not read: Strata's keys begin with strata:; did you mean strata:traefik?")
}

func TestStackFilesAreFoundByStacksNames(t *testing.T) {
	t.Setenv(config.ArtifactsVariable, "")
	s := newStack(t, "", "")
	assert.Equal(t, s.file, config.StackFile(s.folder, "org/strata/dev"))
	cfg, err := config.OfStack(s.folder, "org/strata/dev", s.file)
	require.NoError(t, err)
	assert.Equal(t, "dev", cfg.Stack)
	cfg, err = config.OfStack(t.TempDir(), "dev", s.file)
	require.NoError(t, err, "a folder without project has no defaults")
	assert.Equal(t, "dev", cfg.Stack)

	dotted := filepath.Join(s.folder, "Pulumi.a.b.yaml")
	require.NoError(t, os.Rename(s.file, dotted))
	cfg, err = config.FromFile(dotted)
	require.NoError(t, err)
	assert.Equal(t, "a.b", cfg.Stack)
	_, err = config.FromFile(filepath.Join(s.folder, "stack.yaml"))
	require.ErrorContains(t, err, "expected a stack file named Pulumi.<stack>.yaml")
	_, err = config.FromFile(s.file)
	assert.ErrorIs(t, err, os.ErrNotExist)
}
