package svg_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/bench/svg"
	"strata/tests/bench/svg/svgtest"
)

func TestSheetWritesAttributesAndStyleElement(t *testing.T) {
	sheet := svg.Sheet{svg.Draw(".bold", "font-weight", "600", "fill", "--red"),
		svg.Draw("text", "fill", "--ink")}
	var out strings.Builder
	root := svg.New("svg").
		Add(svg.New("title"), svg.New("text", "class", "on bold", "fill", "black"),
			svg.New("g").Add(svg.New("text")))
	require.NoError(t, sheet.Dress(root).Write(&out))
	assert.Contains(t, out.String(), `<text class="on bold" fill="#d55e00" font-weight="600">`,
		"a class overrules a name")
	assert.Contains(t, out.String(), `<text fill="#1b1b1b">`)
	assert.Contains(t, out.String(), ".bold { font-weight: 600; fill: var(--red); }")
	assert.Contains(t, out.String(), "text { fill: var(--ink); }")
	assert.Contains(t, out.String(), "prefers-color-scheme: dark")
	assert.Equal(t, "title", root.Children[0].XMLName.Local,
		"a title comes first, or no reader of screens finds it")
	assert.Panics(t, func() { svg.Sheet{svg.Draw("g", "fill", "--pink")}.Dress(root) })
}

func TestBareFindsElementsWithoutColorsOutsideCSS(t *testing.T) {
	bare, err := svgtest.Bare(
		`<svg><rect class="a"/><rect fill="url(#b)"/><text fill="var(--ink)"/><line fill="#fff"/><path fill="none"/><path fill="none" stroke="#000"/><g/></svg>`)
	require.NoError(t, err)
	assert.Equal(t, []string{"rect.a", "text.", "line.", "path."}, bare)
	_, err = svgtest.Bare("<svg>")
	require.Error(t, err)
}

// Many Git hosts render SVG with librsvg, which does not support CSS variables.
func TestCommittedPicturesHaveColorsWithoutCSS(t *testing.T) {
	pictures, err := filepath.Glob("../../../docs/*.svg")
	require.NoError(t, err)
	more, err := filepath.Glob("../../../docs/benchmarks/*.svg")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(more), 3)
	for _, file := range append(pictures, more...) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		bare, err := svgtest.Bare(string(text))
		require.NoError(t, err)
		assert.Empty(t, bare[:min(3, len(bare))], "%s: %d elements", file, len(bare))
	}
}
