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

// StackFile is a project's folder with the file of its stack dev.
type StackFile struct{ Folder, File string }

// NewStackFile writes the stack file of an existing cluster with more lines below its config.
// project is the text below the name in Pulumi.yaml.
func NewStackFile(t *testing.T, project, config string) StackFile {
	t.Helper()
	folder := t.TempDir()
	s := StackFile{folder, filepath.Join(folder, "Pulumi.dev.yaml")}
	text := "name: strata\nruntime: go\n" + project
	require.NoError(t, os.WriteFile(filepath.Join(folder, "Pulumi.yaml"), []byte(text), 0o600))
	text = "config:\n  strata:cluster: {context: kind-kind}\n"
	if !strings.Contains(config+project, "metallb") {
		text += "  strata:metallb: {addresses: [10.0.0.1-10.0.0.9]}\n"
	}
	require.NoError(t, os.WriteFile(s.File, []byte(text+config), 0o600))
	return s
}

// Read reads the stack like Strata's commands.
func (s StackFile) Read() (*config.Config, error) { return config.OfStack(s.Folder, "dev", s.File) }

// FromEngine runs FromPulumi in a program that has this whole configuration.
func FromEngine(t *testing.T, whole map[string]string, secret ...string) (cfg *config.Config,
	err error) {
	t.Helper()
	text, err := json.Marshal(whole)
	require.NoError(t, err)
	t.Setenv(pulumi.EnvConfig, string(text))
	t.Setenv(config.ArtifactsVariable, "")
	err = pulumi.RunErr(func(ctx *pulumi.Context) error {
		cfg, err = config.FromPulumi(ctx)
		return err
	}, pulumi.WithMocks("strata", "dev", &Recorder{}), func(info *pulumi.RunInfo) {
		info.Config, info.ConfigSecretKeys = whole, secret
	})
	return cfg, err
}
