package cli

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/internal/recovery"
)

func TestRecoverTellsTheNextRunWhatItNeedsAndNothingElseOnStdout(t *testing.T) {
	pending := `{"deployment":{"resources":[],"pending_operations":[{"type":"creating",
		"resource":{"urn":"urn:a","type":"kubernetes:core/v1:Namespace"}}]}}`
	for state, want := range map[string]string{
		pending:                           "export PULUMI_K8S_UPSERT_EXISTING_OBJECTS=true\n",
		`{"deployment":{"resources":[]}}`: "",
	} {
		var out, log bytes.Buffer
		command := &cobra.Command{}
		command.SetOut(&out)
		command.SetContext(t.Context())
		r := recovery.Recovery{ProjectDir: t.TempDir(), Stack: "dev", Log: &log}
		r.Pulumi = func(_ context.Context, _ []byte, args ...string) ([]byte, error) {
			if args[0] == "whoami" {
				return []byte(`{"url":"file://` + r.ProjectDir + `"}`), nil
			}
			return []byte(state), nil
		}
		require.NoError(t, runRecovery(command, &r))
		assert.Equal(t, want, out.String())
	}
}

func TestRecoverWithoutStackIsRefused(t *testing.T) {
	var out, errors bytes.Buffer
	assert.NotZero(t, Run([]string{"recover"}, strings.NewReader(""), &out, &errors))
	assert.Contains(t, errors.String(), "stack")
}

func TestFetchKnowsTheVersionsOfEveryStackFile(t *testing.T) {
	t.Setenv(config.ArtifactsVariable, "")
	pins, err := projectPins("../..")
	require.NoError(t, err)
	defaults := config.Pins(config.Versions{})
	require.Len(t, pins, len(defaults)+1, "and the image of the demo that a stack on hosts of its own has, which nobody publishes")
	assert.Equal(t, defaults, pins[:len(defaults)])
	assert.Equal(t, "go-rest-1.0.0", pins[len(defaults)].Version)

	project := t.TempDir()
	require.NoError(t, os.WriteFile(project+"/Pulumi.dev.yaml", []byte(`config:
  strata:hosts: {driver: machine, subnet: 10.10.0.0/24, nodes: [{name: a, role: server, address: 10.10.0.11}]}
  strata:k3s: {version: v1.35.1+k3s2}
  strata:metallb: {addresses: [10.10.0.200/29]}
`), 0o644))
	pins, err = projectPins(project)
	require.NoError(t, err)
	assert.Len(t, pins, len(config.Pins(config.Versions{}))+5, "all default pins, and K3s's files at the other version")
}

func TestBundleVerifyNamesAFolderThatIsNone(t *testing.T) {
	var out, errors bytes.Buffer
	assert.Equal(t, 1, Run([]string{"bundle", "verify", t.TempDir()}, strings.NewReader(""), &out, &errors))
	assert.Contains(t, errors.String(), "no bundle folder")
}
