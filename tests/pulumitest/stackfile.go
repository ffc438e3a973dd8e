package pulumitest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// StackFile is a project folder with the file of its stack dev.
type StackFile struct {
	Folder, File string
	// Own is true for the stack of a user's own program.
	Own bool
}

// NewStackFile writes the stack file of an existing cluster, with config as further lines of its
// configuration. project is the text after the name in Pulumi.yaml.
func NewStackFile(t *testing.T, project, config string) StackFile {
	t.Helper()
	folder := t.TempDir()
	s := StackFile{Folder: folder, File: filepath.Join(folder, "Pulumi.dev.yaml")}
	text := "name: strata\nruntime: go\n" + project
	require.NoError(t, os.WriteFile(filepath.Join(folder, "Pulumi.yaml"), []byte(text), 0o600))
	text = "config:\n  strata:cluster: {context: kind-kind}\n"
	if !strings.Contains(config+project, "metallb") {
		text += "  strata:metallb: {addresses: [10.0.0.1-10.0.0.9]}\n"
	}
	require.NoError(t, os.WriteFile(s.File, []byte(text+config), 0o600))
	return s
}

// Rename changes the name of the project.
func (s StackFile) Rename(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join(s.Folder, "Pulumi.yaml")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	text = []byte(strings.Replace(string(text), "name: strata", "name: "+name, 1))
	require.NoError(t, os.WriteFile(path, text, 0o600))
}

// Read reads the stack like commands of Strata.
func (s StackFile) Read() (*config.Config, error) {
	if s.Own {
		return config.OfAnyStack(s.Folder, "dev", s.File)
	}
	return config.OfStack(s.Folder, "dev", s.File)
}

// FromEngine runs a program in a project, with whole as the configuration that the engine passes.
func (s StackFile) FromEngine(t *testing.T, project string, whole map[string]string,
	secret ...string) (cfg *config.Config, err error) {
	t.Helper()
	text, err := json.Marshal(whole)
	require.NoError(t, err)
	t.Setenv(pulumi.EnvConfig, string(text))
	t.Setenv(config.ArtifactsVariable, "")
	err = pulumi.RunErr(func(ctx *pulumi.Context) error {
		if s.Own {
			cfg, err = config.ForProgram(ctx, nil)
		} else {
			cfg, err = config.FromPulumi(ctx)
		}
		return err
	}, pulumi.WithMocks(project, "dev", &Recorder{}), func(info *pulumi.RunInfo) {
		info.Config, info.ConfigSecretKeys, info.RootDirectory = whole, secret, s.Folder
	})
	return cfg, err
}
