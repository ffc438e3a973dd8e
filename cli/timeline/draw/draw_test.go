package draw

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/cli/timeline"
	"strata/tests/bench/svg/svgtest"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// random returns a random run: with gates and their messages, failures, and resources that did not
// end.
func random(r *rand.Rand) timeline.Run {
	graph := map[string][]string{}
	var lines []timeline.Line
	at := start
	event := func(e timeline.Event) {
		at = at.Add(time.Duration(r.IntN(900)) * time.Millisecond)
		lines = append(lines, timeline.Line{At: at, Event: &e})
	}
	for i := range r.IntN(30) {
		step := &timeline.Step{}
		layer := []string{"k3s", "metallb", "traefik"}[r.IntN(3)]
		step.Metadata.Op, step.Metadata.Type = "create", "command:local:Command"
		step.Metadata.URN = fmt.Sprintf(
			"urn:pulumi:dev::strata::strata:%s:Thing$command:local:Command::<r&%d>",
			layer, i)
		step.Metadata.New = &timeline.State{
			Inputs: timeline.Inputs{Create: []string{"exec .strata/bin/strata gate",
				"true"}[r.IntN(2)]}}
		for urn := range graph {
			if r.IntN(4) == 0 {
				graph[step.Metadata.URN] = append(graph[step.Metadata.URN], urn)
			}
		}
		graph[step.Metadata.URN] = append(graph[step.Metadata.URN], "of no run")
		event(timeline.Event{Pre: step})
		event(timeline.Event{
			Diagnostic: &timeline.Diagnostic{URN: step.Metadata.URN,
				Message: fmt.Sprintf("<r&%d>: \x1b[31m0/1 Ready, 3 s", i)}})
		switch r.IntN(8) {
		case 0: // no end
		case 1:
			event(timeline.Event{Failed: step})
		default:
			event(timeline.Event{Done: step})
		}
	}
	return timeline.New(append(lines, timeline.Line{At: at, Graph: graph}))
}

// elements counts the elements of a document by name and class, and fails if it is malformed.
func elements(t *testing.T, text string) map[string]int {
	t.Helper()
	count := map[string]int{}
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return count
		}
		require.NoError(t, err)
		element, is := token.(xml.StartElement)
		if !is {
			continue
		}
		count[element.Name.Local]++
		for _, attribute := range element.Attr {
			if attribute.Name.Local == "class" {
				count[element.Name.Local+"."+attribute.Value]++
			}
		}
	}
}

// outside finds references that a browser would load.
var outside = regexp.MustCompile(`(?i)(src|href)\s*=|url\([^#]|@import|//[a-z]`)

func TestRandomRunsAreDrawnWithAllBarsAsValidXML(t *testing.T) {
	for seed := range uint64(100) {
		run := random(rand.New(rand.NewPCG(seed, 2)))
		var drawn, page strings.Builder
		require.NoError(t, WriteSVG(&drawn, run))
		require.NoError(t, WriteHTML(&page, run))
		bare, err := svgtest.Bare(drawn.String())
		require.NoError(t, err)
		require.Empty(t, bare, "seed %d", seed)
		inPicture, inPage := elements(t, drawn.String()), elements(t, page.String())
		require.Equal(t, len(run.Bars), inPicture["g.bar"],
			"seed %d: one bar for each resource", seed)
		require.Equal(t, len(run.Layers), inPicture["g.layer"], "seed %d", seed)
		require.Equal(t, len(run.Bars), inPage["g.bar"], "seed %d", seed)
		require.Equal(t, 2+len(run.Bars)+len(run.Layers), inPage["tr"],
			"seed %d: the tables say the same", seed)
		for _, text := range []string{drawn.String(), page.String()} {
			require.Empty(t,
				outside.FindAllString(strings.ReplaceAll(text, "http://www.w3.org/2000/svg", ""),
					-1), "seed %d", seed)
		}
	}
}

func TestBarsStayInChartAndFollowDependencies(t *testing.T) {
	for seed := range uint64(100) {
		l := newLayout(random(rand.New(rand.NewPCG(seed, 3))))
		for _, r := range l.at {
			assert.GreaterOrEqual(t, l.x(r.Start), chartLeft)
			assert.LessOrEqual(t, l.x(r.End), chartRight+0.001)
			assert.Less(t, r.Top, l.Height)
			for _, need := range r.Needs {
				if end := l.at[need].End; !end.After(r.Start) {
					assert.LessOrEqual(t, l.x(end), l.x(r.Start))
				}
			}
		}
		assert.LessOrEqual(t, len(l.ticks()), 9)
		assert.NotEmpty(t, l.ticks())
	}
}

func TestPictureOfRecordedDestroyHasAllBars(t *testing.T) {
	file, err := os.Open("../testdata/destroy.jsonl")
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	lines, err := timeline.Read(file)
	require.NoError(t, err)
	run := timeline.New(lines)
	assert.Equal(t, "destroy", run.Operation)
	assert.Equal(t, "local", run.Stack)
	var drawn strings.Builder
	require.NoError(t, WriteSVG(&drawn, run))
	assert.Equal(t, 91, elements(t, drawn.String())["g.bar"])
	assert.Contains(t, drawn.String(), "hosts-server-1-machine (command:local:Command): delete, done, 4.3 s")
	assert.Contains(t, drawn.String(), "waited last for")
}
