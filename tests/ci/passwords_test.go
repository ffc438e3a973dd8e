package ci

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// passwords are the variables with which strata preflight reads values that Pulumi has encrypted
// (actions/hosts/reach).
var passwords = []string{"STRATA_SSH_PASSPHRASE", "STRATA_SUDO_PASSWORD"}

// uncommented returns a text whose commented-out lines, from a line with from until a line with to,
// are active.
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

// GitLab passes every variable of a project to its pipelines. So the example lists, in a comment,
// the variables to create.
func TestGitLabPipelineNamesPreflightPasswords(t *testing.T) {
	text, err := os.ReadFile(pipelineFile)
	require.NoError(t, err)
	for _, name := range passwords {
		assert.Contains(t, string(text), name)
	}
}
