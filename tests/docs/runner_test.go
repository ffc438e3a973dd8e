package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// keyStep returns the script with which the example's job up writes the SSH key. removes is the
// condition of the step that deletes the key.
func keyStep(t *testing.T) (script, removes string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "examples/ci/github.yaml"))
	require.NoError(t, err)
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ ID, Name, If, Run string }
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &workflow))
	for _, step := range workflow.Jobs["up"].Steps {
		switch {
		case step.ID == "key":
			script = step.Run
		case step.Name == "Remove the key":
			removes = step.If
		}
	}
	require.NotEmpty(t, script)
	return script, removes
}

// A self-hosted runner may already have a key at this path, perhaps the only copy.
func TestKeyStepKeepsExistingKeyOfRunner(t *testing.T) {
	script, removes := keyStep(t)
	home := t.TempDir()
	write := func(secret string) ([]byte, error) {
		command := exec.Command("bash", "-e", "-c", script) // as GitHub runs it
		command.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "SSH_KEY=" + secret}
		return command.CombinedOutput()
	}
	output, err := write("a secret of CI's")
	require.NoError(t, err, string(output))
	key := filepath.Join(home, ".ssh/id_ed25519")
	info, err := os.Stat(key)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	output, err = write("another")
	require.Error(t, err)
	assert.Contains(t, string(output), "cannot overwrite existing file")
	kept, err := os.ReadFile(key)
	require.NoError(t, err)
	assert.Equal(t, "a secret of CI's\n", string(kept))
	assert.Contains(t, removes, "steps.key.outcome != 'failure'",
		"what ended there removes nothing")
}
