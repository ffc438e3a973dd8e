package docs

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// word is a private word for something that has a standard name in the field.
type word struct {
	private  *regexp.Regexp
	standard string
}

var words = []word{
	{regexp.MustCompile(`(?i)\b(no|some|any)body|(No|Some)body`),
		"the one who does it: no server, another stack, a person"},
	{regexp.MustCompile(`\b[Ll]en[dt]\b|[a-z]Lent\b|\bLent[A-Z]|\blent[A-Z]`),
		"existing cluster, existing host"},
	{regexp.MustCompile(`\b(an|An|another|root|own|the) authorit(y|ies)\b`), "CA"},
	{regexp.MustCompile(`(?i)(custom )?resource definitions?`), "CRD"},
	{regexp.MustCompile(`is sure to get`), "request and limit"},
	{regexp.MustCompile(`there is one says that there was`), ""},
	{regexp.MustCompile(`\b[sS]ettl|[a-z]Settl`), "adopt, repair, roll out; stable"},
	{regexp.MustCompile(`(?i)\blook(s|ed)? again\b`), "run again, judge again"},
}

// source matches names of documents that readers of the pages do not have.
var source = regexp.MustCompile(
	`(?i)\bfirst platform|\b(the|demo's) plan\b|not in the plan|\bthe[ _]seeds?(\b|_|'s)`)

// kept matches lines in which a private word is allowed, because they quote a host's message.
var kept = regexp.MustCompile(`[Cc]ustom resource definition|belongs to somebody else \(project`)

// spoken reports whether a file is checked. It is documentation, or a part of the program or its
// tests. It excludes commands that are in the states of deployed stacks (components/scripts and the
// scripts of internal/k3shost), and the lab's stand-ins, which copy other programs.
func spoken(path string) bool {
	if strings.HasPrefix(path, "internal/k3shost/") && strings.HasSuffix(path, ".sh") {
		return false
	}
	for _, skipped := range []string{"components/scripts/", "tests/lab/", "tests/docs/words_test.go",
		"tools/", "hack/tools/"} {
		if strings.HasPrefix(path, skipped) {
			return false
		}
	}
	switch filepath.Ext(path) {
	case ".go", ".md", ".sh":
		return true
	case ".yaml":
		return strings.HasPrefix(path, "health/") || !strings.Contains(path, "/")
	}
	return strings.HasPrefix(path, "hack/") || path == "Makefile"
}

// private returns the lines of a file that contain a private word, with the standard one.
func private(path, text string) []string {
	var found []string
	for _, w := range words {
		if !w.private.MatchString(text) {
			continue
		}
		for line := range strings.Lines(text) {
			if w.private.MatchString(line) && !kept.MatchString(line) {
				found = append(found, path+": "+strings.TrimSpace(line)+" (write: "+w.standard+")")
			}
		}
	}
	return found
}

// Engineers who know Kubernetes must be able to read this repository without learning new words.
func TestRepositoryHasNoPrivateWords(t *testing.T) {
	checked := files(t, spoken)
	for path, text := range checked {
		for _, line := range private(path, text) {
			t.Error(line)
		}
	}
	require.Greater(t, len(checked), 900)
}

func TestPrivateWordsAreFound(t *testing.T) {
	for text, found := range map[string]bool{
		"nobody asks": true, "TestSomebodyElsesCluster": true, "anybody's webhook": true,
		"a lent cluster": true, "func lentTarget()": true,
		"cfg.Lent()": true, "a silent host": false, "assert.Equal(excellent)": false,
		"another authority": true, "signed by unknown authority": false,
		"its resource definitions": true, "custom resource definitions (CRDs)": false,
		"`strata:cluster:LentCluster`": true,
		"until it has settled":         true, "func settleAll()": true, "MaxLeaseTTL": false,
		"the gate looks again": true, "looks at it": false,
	} {
		assert.Equal(t, found, len(private("health/spec.go", text+"\n")) > 0, text)
	}
	assert.True(t, spoken("hack/stack"))
	assert.False(t, spoken("internal/k3shost/owner.sh"))
	assert.True(t, spoken("internal/k3shost/owner.go"))
}

// A page must not name a document that its readers do not have. Decisions may, because they are
// history.
func TestPagesNameNoUnavailableSource(t *testing.T) {
	checked := files(t, func(path string) bool {
		return path == "Makefile" || path == "bench/results.json" ||
			filepath.Ext(path) == ".md" && !strings.HasPrefix(path, "docs/adr/")
	})
	for path, text := range checked {
		for line := range strings.Lines(text) {
			assert.NotRegexp(t, source, line, path)
		}
	}
	require.Greater(t, len(checked), 50)
}

func TestUnavailableSourcesAreFound(t *testing.T) {
	for text, found := range map[string]bool{
		"the first platform's matrix": true, "of the demo's plan": true, "not in the plan": true,
		"race/the_seeds_mount": true, "what the plan calls critical": true, "the seed": true,
		"cloud-init seed": false, "drawn from SEED": false, "tests/graph/plan_test.go": false,
	} {
		assert.Equal(t, found, source.MatchString(text), text)
	}
}
