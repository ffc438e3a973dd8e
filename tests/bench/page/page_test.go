package page

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/bench"
	"strata/tests/bench/svg/svgtest"
)

var update = flag.Bool("update", false, "rewrite docs/benchmarks.md and its pictures")

const root = "../../.."

func TestCommittedBenchmarkPagesMatchResults(t *testing.T) {
	results, err := bench.Read(filepath.Join(root, "bench/results.json"))
	require.NoError(t, err)
	require.NotEmpty(t, results)
	files, err := Render(results)
	require.NoError(t, err)
	for _, file := range files {
		path := filepath.Join(root, "docs", file.Path)
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, file.Content, 0o644))
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, string(file.Content), string(got),
			"docs/%s is stale; run: go generate ./tests/bench", file.Path)
	}
}

func TestEveryResultHasDescription(t *testing.T) {
	results, err := bench.Read(filepath.Join(root, "bench/results.json"))
	require.NoError(t, err)
	for _, r := range results {
		base, _, _ := strings.Cut(r.Name, "/")
		assert.Contains(t, meanings, base, r.Name)
	}
}

// A headline whose result was renamed would silently disappear from the page.
func TestEveryHeadlineHasResult(t *testing.T) {
	results, err := bench.Read(filepath.Join(root, "bench/results.json"))
	require.NoError(t, err)
	assert.Len(t, headlines, 10)
	for _, h := range headlines {
		_, measured := find(results, h.name)
		assert.True(t, measured, h.name)
		_, counted := find(results, h.of)
		assert.Equal(t, h.of != "", counted, h.of)
	}
}

func TestHeadlinesShowTrialsAndDate(t *testing.T) {
	lost := bench.None("requests_lost/node_drain", "requests", 0)
	sent := bench.Most("requests_sent/node_drain", "requests", 0.5, 0, []float64{12062})
	noop := bench.Most("noop_up", "s", 0.5, 5, []float64{2, 1, 3})
	for _, r := range []*bench.Result{&lost, &sent, &noop} {
		r.Measured = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	}
	var text strings.Builder
	writeHeadlines(&text, []bench.Result{noop, lost, sent})
	assert.Equal(t, `
| number | value | n | measured |
| --- | ---: | ---: | --- |
| requests lost in the drain of a node with a Pod of the workload and one of Traefik | 0 requests | 12062 requests | 2026-11-21 |
| an update with nothing to do | 2.00 s | 3 | 2026-11-21 |
`, text.String())
}

func TestSuccessiveResultsShareOneDescription(t *testing.T) {
	var text strings.Builder
	one := bench.Most("noop_up/a", "s", 0.5, 0, nil)
	other := bench.Most("noop_up/b", "s", 0.5, 0, nil)
	writeSingle(&text, []bench.Result{one, other}, nil)
	assert.Equal(t, 1, strings.Count(text.String(), meanings["noop_up"]))
}

// sample returns results with and without a target, and points of curves.
func sample() []bench.Result {
	results := []bench.Result{
		bench.Most("gate_lag_p95/<a&b>", "ms", 0.95, 250, []float64{2500}),
		bench.Least("up_serial_ratio", "ratio", 0.5, 2, []float64{4}),
		bench.Most("up_wall", "s", 0.5, 0, []float64{100}),
	}
	for _, n := range []int{1000, 1, 100, 10} {
		results = append(results, bench.On("cost_up", "workloads", n, "s",
			[]float64{float64(n) / 500}))
		results = append(results, bench.On("cost_noop", "workloads", n, "s",
			[]float64{float64(n) / 1000}))
	}
	return append(results, bench.On("cost_share/engine", "workloads", 100, "ratio", []float64{0.9}),
		bench.On("cost_share/engine", "workloads", 1000, "ratio", []float64{0.4}),
		bench.On("cost_share/encoding", "workloads", 1000, "ratio", []float64{0.6}))
}

func TestRenderedPicturesAreWellFormedAndComplete(t *testing.T) {
	files, err := Render(sample())
	require.NoError(t, err)
	require.Len(t, files, 3)
	text := string(files[0].Content)
	assert.Contains(t, text,
		"Processor time of an update of 1000 workloads that saves each step: encoding 60 %, engine 40 %.")
	assert.Contains(t, text, "| **no** |")
	classes := map[string]int{}
	for _, file := range files[1:] {
		bare, err := svgtest.Bare(string(file.Content))
		require.NoError(t, err)
		assert.Empty(t, bare, file.Path)
		decoder := xml.NewDecoder(strings.NewReader(string(file.Content)))
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			if element, is := token.(xml.StartElement); is {
				for _, attribute := range element.Attr {
					if attribute.Name.Local == "class" {
						classes[attribute.Value]++
					}
				}
			}
		}
	}
	assert.Equal(t, 2, classes["bar"], "a bar for each promise")
	assert.Equal(t, 1, classes["missed"])
	assert.Equal(t, 2, classes["series"])
	assert.Equal(t, 8, classes["point"])
}

func TestBetterResultHasLowerRatioToTarget(t *testing.T) {
	assert.Less(t, strain(bench.Most("a", "s", 0.5, 5, []float64{1})),
		strain(bench.Most("a", "s", 0.5, 5, []float64{2})))
	assert.Less(t, strain(bench.Least("a", "s", 0.5, 5, []float64{9})),
		strain(bench.Least("a", "s", 0.5, 5, []float64{8})))
	axis := scale{0.1, 100, 10, 40}
	assert.Equal(t, []float64{0.1, 1, 10, 100}, axis.ticks())
	assert.InDelta(t, 20, axis.at(1), 1e-9)
}

// A perfect estimate has the error 0, which a logarithmic axis cannot show.
func TestRatioToTargetOfZeroIsPositiveAndFinite(t *testing.T) {
	for _, r := range []bench.Result{bench.Most("a", "ratio", 0.5, 0.3, []float64{0}),
		bench.Least("b", "ratio", 0.5, 2, []float64{0})} {
		assert.InDelta(t, 1, strain(r), farthest, r.Name)
		assert.Positive(t, strain(r), r.Name)
	}
}
