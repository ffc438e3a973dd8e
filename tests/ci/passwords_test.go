package ci

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// passwords are the variables that supply strata preflight with the values that Pulumi has
// encrypted (actions/hosts/reach).
var passwords = []string{"STRATA_SSH_PASSPHRASE", "STRATA_SUDO_PASSWORD"}

// uncommented returns a text without the comment signs of a commented-out key or variable.
func uncommented(text, from, to string) string {
	var lines []string
	inside := false
	for line := range strings.Lines(text) {
		inside = (inside || strings.Contains(line, from)) && !strings.Contains(line, to)
		if inside {
			line = strings.Replace(line, "# ", "", 1)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "")
}

// A user whose key has a passphrase removes the comment, and the step of preflight then gets both
// variables.
func TestGitHubWorkflowIsValidWithPreflightPasswords(t *testing.T) {
	text, err := os.ReadFile(workflow)
	require.NoError(t, err)
	changed := uncommented(string(text), "# env:", "run:")
	for _, name := range passwords {
		assert.Contains(t, changed, "\n          "+name+": ${{ secrets."+name+" }}\n")
	}
	_, step, found := strings.Cut(changed, "- name: Up\n")
	require.True(t, found)
	given, _, _ := strings.Cut(step, "bin/strata preflight")
	assert.Contains(t, given, "\n        env:\n")
	assert.Empty(t, faults(t, changed))
	assert.NotEmpty(t,
		faults(t, strings.Replace(changed, "secrets."+passwords[0], "secret."+passwords[0], 1)),
		"what was a comment is read")
}

// A pipeline of GitLab's has each variable of its project without naming it, so the example lists
// those to make.
func TestGitLabPipelineNamesPreflightPasswords(t *testing.T) {
	text, err := os.ReadFile(pipelineFile)
	require.NoError(t, err)
	for _, name := range passwords {
		assert.Contains(t, string(text), name)
	}
}
