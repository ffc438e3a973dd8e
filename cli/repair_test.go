package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/stack/recovery"
)

func TestRepairPrintsUpsertVariableOnlyAfterInterruptedCreate(t *testing.T) {
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
		require.NoError(t, runRepair(command, &r))
		assert.Equal(t, want, out.String())
	}
}

func TestRepairWithoutStackIsRefused(t *testing.T) {
	var out, errors bytes.Buffer
	assert.NotZero(t, Run([]string{"repair"}, strings.NewReader(""), &out, &errors))
	assert.Contains(t, errors.String(), "stack")
}

func TestBundleVerifyRejectsFolderWithoutManifest(t *testing.T) {
	var out, errors bytes.Buffer
	assert.Equal(t, 1, Run([]string{"bundle", "verify", t.TempDir()}, strings.NewReader(""), &out,
		&errors))
	assert.Contains(t, errors.String(), "no bundle folder")
}
