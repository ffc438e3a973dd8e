package page

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"strata/tests/bench"
	"strata/tests/bench/svg"
)

const head = `# Benchmarks

<!-- Generated from bench/results.json by ` + "`go generate ./tests/bench`" + `; ` + "`make bench`" + ` measures and writes both. -->

Measured in the lab, with its [stand-ins](../tests/lab/README.md). n is the number of trials or of
samples. Compare times of one machine only; ratios hold elsewhere, and are of one run each.
[bench/results.json](../bench/results.json) has the raw samples.
`

// File is docs/benchmarks.md or one of its pictures.
type File struct {
	// Path is relative to docs.
	Path    string
	Content []byte
}

// Render returns the page and its pictures.
func Render(results []bench.Result) ([]File, error) {
	var text strings.Builder
	text.WriteString(head)
	pictures := map[string]*svg.Element{}
	single, points := split(results)
	writeHeadlines(&text, single)
	writeSingle(&text, single, pictures)
	for _, of := range slices.Sorted(maps.Keys(points)) {
		writeCurves(&text, of, points[of], pictures)
	}
	writeMachines(&text, results)
	files := []File{{"benchmarks.md", []byte(text.String())}}
	for _, name := range slices.Sorted(maps.Keys(pictures)) {
		var drawn bytes.Buffer
		if err := sheet.Dress(pictures[name]).Write(&drawn); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files = append(files, File{name, drawn.Bytes()})
	}
	return files, nil
}

// split separates single results from points of curves. It groups the points by the name of the
// quantity on the horizontal axis.
func split(results []bench.Result) (single []bench.Result, points map[string][]bench.Result) {
	points = map[string][]bench.Result{}
	for _, r := range results {
		if r.Point == nil {
			single = append(single, r)
			continue
		}
		points[r.Point.Of] = append(points[r.Point.Of], r)
	}
	return single, points
}

// writeSingle writes a table of the single results, and a picture of those with a target.
// Successive results with the same meaning show it once.
func writeSingle(text *strings.Builder, results []bench.Result, pictures map[string]*svg.Element) {
	text.WriteString(
		"\n## All numbers\n\n| number | meaning | value | target | met | n |\n| --- | --- | ---: " +
			"| --- | --- | ---: |\n")
	var promised []bench.Result
	shared := ""
	for _, r := range results {
		about := meaning(r.Name)
		if about == shared {
			about = ""
		} else {
			shared = about
		}
		met := ""
		if r.Target != nil {
			met = verdict(r)
			promised = append(promised, r)
		}
		fmt.Fprintf(text, "| `%s` | %s | %s | %s | %s | %d |\n", r.Name, about,
			written(r.Value, r.Unit), promise(r), met, len(r.Samples))
	}
	if len(promised) > 0 {
		pictures["benchmarks/targets.svg"] = targets(promised)
		text.WriteString("\n![Each number by its target](benchmarks/targets.svg)\n")
	}
}

// writeCurves writes the curves over one quantity, as a table and a picture. Between them, it
// writes the shares of processor time.
func writeCurves(
	text *strings.Builder, of string, points []bench.Result, pictures map[string]*svg.Element,
) {
	slices.SortStableFunc(points, func(a, b bench.Result) int { return int(a.Point.X - b.Point.X) })
	isShare := func(r bench.Result) bool { return r.Unit == "ratio" }
	times := slices.DeleteFunc(slices.Clone(points), isShare)
	shares := slices.DeleteFunc(slices.Clone(points),
		func(r bench.Result) bool { return !isShare(r) })
	fmt.Fprintf(text, "\n## As the number of %s grows\n\n", of)
	writeTimes(text, of, times)
	writeShares(text, shares)
	name := "benchmarks/" + of + ".svg"
	pictures[name] = curves(of, times)
	fmt.Fprintf(text, "\n![Time by the number of %s](%s)\n", of, name)
}

// writeTimes writes a table with a row for each value of the quantity and a column for each curve.
func writeTimes(text *strings.Builder, of string, times []bench.Result) {
	var names []string
	cells := map[float64]map[string]string{}
	for _, r := range times {
		if !slices.Contains(names, r.Point.Curve) {
			names = append(names, r.Point.Curve)
		}
		if cells[r.Point.X] == nil {
			cells[r.Point.X] = map[string]string{}
		}
		cells[r.Point.X][r.Point.Curve] = written(r.Value, r.Unit)
	}
	slices.Sort(names)
	header := "| " + of
	for _, name := range names {
		header += " | " + meanings[name]
	}
	text.WriteString(header + " |\n|" + strings.Repeat(" ---: |", len(names)+1) + "\n")
	for _, x := range slices.Sorted(maps.Keys(cells)) {
		fmt.Fprintf(text, "| %.0f |", x)
		for _, name := range names {
			text.WriteString(" " + cells[x][name] + " |")
		}
		text.WriteString("\n")
	}
}

// writeShares writes the shares of processor time at the quantity's largest value.
func writeShares(text *strings.Builder, shares []bench.Result) {
	if len(shares) == 0 {
		return
	}
	slices.SortStableFunc(shares, func(a,
		b bench.Result) int {
		return int(1e6 * (b.Value - a.Value))
	})
	largest := slices.MaxFunc(shares, func(a,
		b bench.Result) int {
		return int(a.Point.X - b.Point.X)
	}).Point.X
	parts := []string{}
	for _, r := range shares {
		if r.Point.X != largest {
			continue
		}
		_, part, _ := strings.Cut(r.Point.Curve, "/")
		parts = append(parts, fmt.Sprintf("%s %.0f %%", part, 100*r.Value))
	}
	fmt.Fprintf(text,
		"\nProcessor time of an update of %.0f workloads that saves each step: %s.\n",
		largest, strings.Join(parts, ", "))
}

// writeMachines writes the machines and days of the measurements.
func writeMachines(text *strings.Builder, results []bench.Result) {
	text.WriteString("\n## Measured on\n\n")
	days := map[string][]string{}
	for _, r := range results {
		if day := r.Measured.Format("2006-01-02"); !slices.Contains(days[r.Machine], day) {
			days[r.Machine] = append(days[r.Machine], day)
		}
	}
	for _, machine := range slices.Sorted(maps.Keys(days)) {
		slices.Sort(days[machine])
		fmt.Fprintf(text, "- %s: %s\n", machine, strings.Join(days[machine], ", "))
	}
}
