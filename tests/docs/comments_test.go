package docs

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// These bounds apply to the whole repository. They may only become smaller.
const (
	// openingsAtMost bounds the share of comments that match defines, in percent.
	openingsAtMost = 1.0
	// whatAtMost bounds the number of "what" in 1,000 words of comments.
	whatAtMost = 0.5
	// wideAtMost bounds the share of lines over 120 columns, and longAtMost that of lines over 100
	// columns. Both are in percent, for Go and for Markdown.
	wideAtMost, longAtMost = 0.5, 2.0
)

var (
	// defines matches a comment such as "X is what …", which defines its subject instead of using a
	// verb.
	defines = regexp.MustCompile(`^\S+( \S+)? (is|are|has|have) (what|why|how|whose|which|where|when)\b`)
	// comment matches a comment line; a directive has no space after the slashes.
	comment = regexp.MustCompile(`^\s*// ?`)
	what    = regexp.MustCompile(`(?i)\bwhat\b`)
)

// comments returns the comments of a file that have lines of their own, each as one line.
func comments(text string) (blocks []string) {
	var block []string
	end := func() {
		if len(block) > 0 {
			blocks = append(blocks, strings.Join(block, " "))
		}
		block = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		prose := strings.TrimPrefix(strings.TrimSpace(line), "//")
		if !comment.MatchString(line) || strings.HasPrefix(prose, "go:") ||
			strings.HasPrefix(prose, "nolint") {
			end()
			continue
		}
		block = append(block, strings.TrimSpace(prose))
	}
	end()
	return blocks
}

func TestGoCommentsStayWithinPlainLanguageLimits(t *testing.T) {
	var definitions []string
	var blocks, words, whats int
	for path, text := range files(t, func(path string) bool {
		return strings.HasSuffix(path, ".go") && !strings.Contains(path, "/testdata/")
	}) {
		for _, block := range comments(text) {
			blocks++
			words += len(strings.Fields(block))
			whats += len(what.FindAllString(block, -1))
			if defines.MatchString(block) {
				definitions = append(definitions, path+": "+block)
			}
		}
	}
	require.Greater(t, blocks, 5000)
	assert.LessOrEqual(t, 100*float64(len(definitions))/float64(blocks), openingsAtMost,
		strings.Join(definitions, "\n"))
	assert.LessOrEqual(t, 1000*float64(whats)/float64(words), whatAtMost, "what")
}

func TestFewLinesAreWide(t *testing.T) {
	for _, extension := range []string{".go", ".md"} {
		var all strings.Builder
		for _, text := range files(t, func(path string) bool {
			return strings.HasSuffix(path, extension) && !strings.Contains(path, "/testdata/")
		}) {
			all.WriteString(text)
		}
		wide, long := measureWidth(all.String())
		assert.LessOrEqual(t, wide, wideAtMost, "lines over 120 columns of %s", extension)
		assert.LessOrEqual(t, long, longAtMost, "lines over 100 columns of %s", extension)
	}
}

// measureWidth returns the shares of the lines over 120 and over 100 columns, in percent. A row of
// a table does not count.
func measureWidth(text string) (wide, long float64) {
	lines := 0.0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "|") {
			continue
		}
		lines++
		columns := utf8.RuneCountInString(
			strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    "))
		if columns > 120 {
			wide++
		}
		if columns > 100 {
			long++
		}
	}
	return 100 * wide / lines, 100 * long / lines
}

func TestWideLinesAreMeasuredWithoutTables(t *testing.T) {
	wide, long := measureWidth("short\n" + strings.Repeat("é", 100) + "\n" +
		strings.Repeat("x", 101) + "\n\t" + strings.Repeat("x", 117) + "\n| " +
		strings.Repeat("x", 200) + " |\n")
	assert.InDelta(t, 25, wide, 0.01)
	assert.InDelta(t, 50, long, 0.01)
}

func TestDefinitionCommentsAreDetected(t *testing.T) {
	for text, found := range map[string]bool{
		"// Seen is when\n// it came.\nvar a int\n": true,
		"\t// URLs are where it answers.\n":         true,
		"// A gate is what waits.\n":                true,
		"// Seen returns the time.\n":               false, "//nolint:gosec // is what\n": false,
		"// It is a gate.\n": false, "a := 1 // b is what\n": false,
	} {
		all := comments(text)
		assert.Equal(t, found, len(all) > 0 && defines.MatchString(all[0]), text)
	}
}
