package ci

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const workflow = "../../examples/ci/github.yaml"

// pinned matches an action that is pinned by commit, with its tag in a comment. actionlint looks up
// the inputs of an action by the major version of the tag.
var pinned = regexp.MustCompile(`uses: ([\w.-]+/[\w.-]+)@[0-9a-f]{40} # (v\d+)\.\d+\.\d+\n`)

// faults returns actionlint's findings in the syntax, in expressions and in the inputs of actions.
// If shellcheck is installed, its findings in scripts are included.
func faults(t *testing.T, text string) []string {
	t.Helper()
	linter, err := actionlint.NewLinter(io.Discard,
		&actionlint.LinterOptions{Shellcheck: "shellcheck"})
	require.NoError(t, err)
	// A repository lists the labels of its own runners in its actionlint configuration. These are
	// the labels in the example.
	found, err := linter.Lint("strata.yaml",
		pinned.ReplaceAll([]byte(text), []byte("uses: $1@$2\n")), nil)
	require.NoError(t, err)
	var texts []string
	for _, one := range found {
		if !strings.Contains(one.Message, `label "strata" is unknown`) {
			texts = append(texts, one.Error())
		}
	}
	return texts
}

func TestGitHubWorkflowIsValid(t *testing.T) {
	text, err := os.ReadFile(workflow)
	require.NoError(t, err)
	assert.Empty(t, faults(t, string(text)))
}

func TestActionsArePinnedByCommit(t *testing.T) {
	text, err := os.ReadFile(workflow)
	require.NoError(t, err)
	used := strings.Count(string(text), "uses: ")
	require.NotZero(t, used)
	assert.Len(t, pinned.FindAllString(string(text), -1), used,
		"each action has 40 digits of a commit, and its tag as comment")
}

// The linter must be able to find a fault, or a run without findings would prove nothing.
func TestInvalidWorkflowIsReported(t *testing.T) {
	text, err := os.ReadFile(workflow)
	require.NoError(t, err)
	for name, change := range map[string][2]string{
		"an unknown key": {"timeout-minutes: 30", "timeout: 30"},
		"a misspelt context": {"github.event_name == 'push'",
			"github.event-nam == 'push'"},
		"an input that an action has not":              {"go-version-file", "go-version-fil"},
		"an event that is none":                        {"  pull_request:\n", "  pull_requests:\n"},
		"a secret in an expression that is not closed": {"secrets.SSH_KEY }}", "secrets.SSH_KEY }"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, string(text), change[0])
			assert.NotEmpty(t, faults(t, strings.Replace(string(text), change[0], change[1], 1)))
		})
	}
}
