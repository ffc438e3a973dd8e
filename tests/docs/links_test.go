// Package docs checks the documentation against the repository: links and paths exist, commands are
// tested, and quoted messages are the program's.
package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../.."

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	fence   = regexp.MustCompile("(?ms)^```.*?^```")
	// named matches a path of the repository in backticks. Patterns, and paths with a placeholder
	// in capitals, are not checked.
	named = regexp.MustCompile(
		"`((?:components|config|docs|examples|hack|health|internal|monitoring|platform|tests|tools)/[a-z0-9_./-]+)`")
	// beside matches the name of a test file without its folder.
	beside = regexp.MustCompile("`([a-z0-9_]+_test\\.go)`")
)

// pages returns the documentation pages by their path from the root. Decisions are history: files
// that they name may be gone, but their links must work.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/adr/*.md", "docs/layers/*.md", "tests/*/*.md",
		"tests/lab/tools/*/README.md", "examples/*/README.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			path, err := filepath.Rel(root, file)
			require.NoError(t, err)
			found[path] = string(text)
		}
	}
	require.Greater(t, len(found), 50)
	return found
}

func TestEveryLinkResolves(t *testing.T) {
	all := pages(t)
	for page, text := range all {
		for _, found := range link.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			assert.NoError(t, leads(all, page, found[1]), "%s: %s", page, found[1])
		}
	}
}

// leads returns an error if the target of a link on a page does not exist.
func leads(all map[string]string, page, target string) error {
	path, anchor, _ := strings.Cut(target, "#")
	there := page
	if path != "" {
		there = filepath.Join(filepath.Dir(page), path)
	}
	if _, err := os.Stat(filepath.Join(root, there)); err != nil {
		return err
	}
	if anchor == "" {
		return nil
	}
	for _, found := range heading.FindAllStringSubmatch(fence.ReplaceAllString(all[there], ""), -1) {
		if anchorOf(found[1]) == anchor {
			return nil
		}
	}
	return fmt.Errorf("%s has no heading of that anchor", there)
}

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchorOf returns the anchor that GitHub gives a heading.
func anchorOf(text string) string {
	return strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(text), ""), " ", "-")
}

func TestLinksResolveToHeadingAnchors(t *testing.T) {
	assert.Equal(t, "a-hosts-boot-takes-too-long", anchorOf("A host's boot takes too long"))
	assert.Equal(t, "the-init-container-cert-wait-restarts",
		anchorOf("The init container `cert-wait` restarts"))
	all := map[string]string{"README.md": "# Top\n```\n# no heading\n```\n"}
	assert.NoError(t, leads(all, "README.md", "#top"))
	assert.ErrorContains(t, leads(all, "README.md", "#no-heading"), "no heading")
	assert.ErrorIs(t, leads(all, "docs/x.md", "gone.md"), os.ErrNotExist)
}

func TestPathsNamedOnPagesExist(t *testing.T) {
	for page, text := range pages(t) {
		// These pages also name files of other programs.
		if strings.HasPrefix(page, "docs/adr/") || strings.HasPrefix(page, "tests/lab/tools/") {
			continue
		}
		for _, pattern := range []*regexp.Regexp{named, beside} {
			for _, found := range pattern.FindAllStringSubmatch(text, -1) {
				assert.True(t, isThere(page, found[1]), "%s names %s", page, found[1])
			}
		}
	}
}

// isThere reports whether a path exists, relative to the root or to the folder of the page.
func isThere(page, path string) bool {
	for _, from := range []string{"", filepath.Dir(page)} {
		if _, err := os.Stat(filepath.Join(root, from, path)); err == nil {
			return true
		}
	}
	return false
}

func TestPathsOnPagesAreResolvedFromRootAndPage(t *testing.T) {
	assert.True(t, isThere("README.md", "docs/config.md"))
	assert.True(t, isThere("tests/lab/README.md", "internal/catalog"))
	assert.False(t, isThere("README.md", "internal/catalog"))
}
