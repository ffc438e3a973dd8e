package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// maxCell bounds a table's cell: the rest is in --json and in the report.
const maxCell = 120

// table prints aligned columns.
type table struct{ to *tabwriter.Writer }

func newTable(out io.Writer, header ...string) *table {
	t := &table{tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)}
	t.row(header...)
	return t
}

func (t *table) row(cells ...string) {
	for i, cell := range cells {
		cell = strings.Join(strings.Fields(cell), " ")
		if short := []rune(cell); len(short) > maxCell {
			cell = string(short[:maxCell-1]) + "…"
		}
		cells[i] = cell
	}
	_, _ = fmt.Fprintln(t.to, strings.Join(cells, "\t")) // Kept until flush, which reports.
}

func (t *table) flush() error { return t.to.Flush() }
