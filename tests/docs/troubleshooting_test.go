package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// telling is the least number of words in a piece of a message. Shorter pieces occur in any
// program.
const telling = 3

var (
	quoted = regexp.MustCompile("(?ms)^```text\n(.*?)^```")
	// listed matches the first column of a table, and span a message in it.
	listed = regexp.MustCompile(`(?m)^\| (.*?) \|`)
	span   = regexp.MustCompile("`([^`]+)`")
	// joined matches the code between two parts of one text on two lines.
	joined = regexp.MustCompile(`" ?\+ "`)
	// placeholder matches parts of a message that differ from run to run: omissions, names in
	// capitals, words with a digit, paths, and names with a dash. It also matches punctuation,
	// because the program may format the words around it separately.
	placeholder = regexp.MustCompile(`…|\b[A-Z][A-Z0-9_]+\b|\S*\d\S*|\S*/\S*|\S*[a-z]-[a-z]\S*|[(),;:'"]`)
)

// messages returns the messages that a page quotes, in blocks and in the first column of tables.
// It skips the section with the errors of other tools.
func messages(page string) []string {
	var found []string
	for _, block := range quoted.FindAllStringSubmatch(page, -1) {
		found = append(found, strings.Split(block[1], "\n")...)
	}
	before, others, _ := strings.Cut(page, "\n## Errors of other tools\n")
	_, behind, _ := strings.Cut(others, "\n## ")
	for _, cell := range listed.FindAllStringSubmatch(before+behind, -1) {
		for _, message := range span.FindAllStringSubmatch(cell[1], -1) {
			found = append(found, message[1])
		}
	}
	return found
}

// pieces returns the parts of quoted messages that the program's sources must contain.
func pieces(page string) []string {
	var found []string
	for _, message := range messages(page) {
		for _, piece := range placeholder.Split(message, -1) {
			if words := strings.Fields(piece); len(words) >= telling {
				found = append(found, strings.Join(words, " "))
			}
		}
	}
	return found
}

// A search for a message only finds the page if the page quotes the program literally.
func TestTroubleshootingQuotesProgramMessages(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/troubleshooting.md"))
	require.NoError(t, err)
	says := program(t)
	found := pieces(string(page))
	require.Greater(t, len(found), 60)
	for _, piece := range found {
		if !strings.Contains(says, piece) {
			t.Errorf("docs/troubleshooting.md quotes %q, and the program does not say it", piece)
		}
	}
}

func TestQuotedMessagesOfTroubleshootingAreExtracted(t *testing.T) {
	page :=
		"```text\ngate a-b: stuck after …\n  fix: check that NAME is on, and its address ADDRESS and so on\n```\n```sh\nnot looked at here\n```\n"
	assert.Equal(t, []string{"and its address", "and so on"}, pieces(page))
	page =
		"## Errors of other tools\n| `of another program` | why |\n\n## Hosts\n| `is not there` in a `log of it` | `not looked at here` |\n"
	assert.Equal(t, []string{"is not there", "log of it"}, pieces("\n"+page))
}

// program returns the text of the program's sources, without tests and the lab.
func program(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for _, folder := range []string{"actions", "artifacts", "cli", "components", "config", "health",
		"internal", "platform", "tools"} {
		require.NoError(t,
			filepath.WalkDir(filepath.Join(root, folder),
				func(path string, entry fs.DirEntry, err error) error {
					name := entry.Name()
					if err != nil || strings.HasSuffix(name, "_test.go") ||
						!strings.HasSuffix(name, ".go") &&
							!strings.HasSuffix(name, ".sh") {
						return err
					}
					source, err := os.ReadFile(path)
					words := strings.Join(strings.Fields(string(source)), " ")
					text.WriteString(joined.ReplaceAllString(words, ""))
					return err
				}))
	}
	return text.String()
}
