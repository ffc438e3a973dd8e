package stackstate_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/pulumi/stackstate"
)

// secret returns a secret in the format of an export.
func secret(fields string) string { return fmt.Sprintf(`{%q:%q,%s}`, sig.Key, sig.Secret, fields) }

// export returns a state with two commands, a stack and an interrupted operation. A replacement has
// yet to delete one of the commands.
func export(key string) string {
	return `{"version":3,"deployment":{"resources":[
		{"urn":"urn:pulumi:dev::strata::pulumi:pulumi:Stack::strata-dev","type":"pulumi:pulumi:Stack","outputs":{"urls":{"echo":"https://echo"}}},
		{"urn":"urn:pulumi:dev::strata::command:local:Command::gate","type":"command:local:Command","inputs":{"create":"exec strata gate",
			"stdin":"{}","environment":{"STRATA_SSH_KEY":` + key + `}},"outputs":{"stdout":` + key + `}},
		{"urn":"urn:pulumi:dev::strata::command:local:Command::gate","type":"command:local:Command","delete":true,"inputs":{"create":"exec strata gate"}}],
		"pending_operations":[{"type":"creating","resource":{"urn":"urn:pulumi:dev::strata::command:local:Command::vm",
			"type":"command:local:Command","inputs":{"create":"exec strata vm create","stdin":[` + key + `]}}}]}}`
}

func TestStateIsReadWithSecrets(t *testing.T) {
	state, err := stackstate.Parse([]byte(export(secret(`"plaintext":"\"hunter2\""`))))
	require.NoError(t, err)
	require.Len(t, state.Resources, 3)
	gates := state.Commands("gate")
	require.Len(t, gates, 1, "what a replacement has left to delete runs no more")
	assert.Equal(t, "hunter2", gates[0].Environment("STRATA_SSH_KEY"))
	assert.Equal(t, "hunter2", gates[0].Output("stdout"))
	assert.Empty(t, gates[0].Environment("STRATA_KUBECONFIG"))
	assert.Empty(t, state.Commands("vm create"), "that one is not there yet")
	require.Len(t, state.Pending, 1)
	assert.Equal(t, apitype.OperationTypeCreating, state.Pending[0].Type)
	assert.True(t, state.Pending[0].Resource.Runs("vm create"))
	assert.Equal(t, []any{"hunter2"}, state.Pending[0].Resource.Inputs["stdin"])

	named, ok := state.Lookup("gate")
	assert.True(t, ok)
	assert.True(t, state.Has(named.URN))
	_, ok = state.Lookup("te")
	assert.False(t, ok)
	outputs, err := state.Outputs()
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"echo": "https://echo"}, outputs["urls"])
}

func TestStackBeforeFirstUpdateHasEmptyState(t *testing.T) {
	for _, text := range []string{`{"version":3,"deployment":null}`, `{"deployment":{}}`, `{}`} {
		state, err := stackstate.Parse([]byte(text))
		require.NoError(t, err, text)
		assert.Empty(t, state.Resources)
		_, err = state.Outputs()
		require.ErrorContains(t, err, "run pulumi up")
	}
}

func TestUnreadableSecretErrorHidesText(t *testing.T) {
	_, err := stackstate.Parse([]byte(export(secret(`"ciphertext":"v1:abc"`))))
	require.ErrorContains(t, err, "--show-secrets")
	require.ErrorContains(t, err, "::gate: ")
	_, err = stackstate.Parse([]byte(export(secret(`"plaintext":"not json hunter2"`))))
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter2")
	_, err = stackstate.Parse([]byte("hunter2"))
	require.ErrorContains(t, err, "exported state")
}

func TestReadEncryptedDoesNotRequestSecrets(t *testing.T) {
	var asked []string
	pulumi := stackstate.Pulumi(func(_ context.Context, _ []byte, args ...string) ([]byte, error) {
		asked = args
		return []byte(export(secret(`"ciphertext":"v1:abc"`))), nil
	})
	state, err := pulumi.ReadEncrypted(t.Context(), "dev")
	require.NoError(t, err)
	assert.Equal(t, []string{"stack", "export", "--stack", "dev"}, asked)
	assert.Empty(t, state.Commands("gate")[0].Environment("STRATA_SSH_KEY"))
	_, err = pulumi.Read(t.Context(), "dev")
	require.ErrorContains(t, err, "--show-secrets")
	assert.Equal(t, []string{"stack", "export", "--stack", "dev", "--show-secrets"}, asked)
}

func TestMissingStackIsDistinguishedFromBackendError(t *testing.T) {
	for output, missing := range map[string]bool{"error: no stack named 'dev' found": true,
		"error: the backend is away": false} {
		pulumi := stackstate.Pulumi(func(context.Context, []byte, ...string) ([]byte, error) {
			return nil, errors.New(output)
		})
		_, err := pulumi.Read(t.Context(), "dev")
		require.ErrorContains(t, err, output)
		assert.Equal(t, missing, errors.Is(err, stackstate.ErrNoStack), output)
	}
}

func TestTextsSeparatesSecretAndPlainStrings(t *testing.T) {
	inner := secret(`"plaintext":"{\"user\":\"me\",\"keys\":[\"hunter2\",7]}"`)
	secrets, plain, err := stackstate.Texts([]byte(export(inner)))
	require.NoError(t, err)
	assert.Subset(t, secrets, []string{"hunter2", "me"})
	assert.NotContains(t, plain, "hunter2")
	assert.Subset(t, plain, []string{"exec strata gate", "https://echo", "pulumi:pulumi:Stack"})
	assert.NotContains(t, secrets, "exec strata gate")
	_, _, err = stackstate.Texts([]byte(export(secret(`"ciphertext":"v1:abc"`))))
	require.ErrorContains(t, err, "--show-secrets")
	_, _, err = stackstate.Texts([]byte("hunter2"))
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter2")
}
