package ci

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// passwords are the variables from which strata preflight takes what Pulumi has encrypted
// (actions/hosts/reach).
var passwords = []string{"STRATA_SSH_PASSPHRASE", "STRATA_SUDO_PASSWORD"}

// uncommented is a text whose lines that begin with a comment of a key or of a variable have begun
// without it.
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

// Whose key has a passphrase takes the comment away, and has a workflow in which the step of
// preflight gets both.
func TestTheWorkflowIsOneWithThePasswordsOfPreflight(t *testing.T) {
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
	assert.NotEmpty(t, faults(t, strings.Replace(changed, "secrets."+passwords[0], "secret."+passwords[0], 1)), "what was a comment is read")
}

// A pipeline of GitLab's has each variable of its project without naming it, so the example says
// which to make.
func TestThePipelineNamesThePasswordsOfPreflight(t *testing.T) {
	text, err := os.ReadFile(pipelineFile)
	require.NoError(t, err)
	for _, name := range passwords {
		assert.Contains(t, string(text), name)
	}
}
