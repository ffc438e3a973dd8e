// Package table prints tables for people: aligned columns, one line per row.
package table

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// maxCell bounds the length of a table's cell, in characters. The full text is in the output of
// --json and in the report.
const maxCell = 120

// Table prints aligned columns.
type Table struct{ to *tabwriter.Writer }

// New begins a table.
func New(out io.Writer, header ...string) *Table {
	t := &Table{tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)}
	t.Row(header...)
	return t
}

// Row adds a row. A cell becomes one line, of at most 120 characters.
func (t *Table) Row(cells ...string) {
	for i, cell := range cells {
		cell = strings.Join(strings.Fields(cell), " ")
		if short := []rune(cell); len(short) > maxCell {
			cell = string(short[:maxCell-1]) + "…"
		}
		cells[i] = cell
	}
	_, _ = fmt.Fprintln(t.to, strings.Join(cells, "\t")) // The writer keeps the row until Flush, which reports errors.
}

// Flush writes the table.
func (t *Table) Flush() error { return t.to.Flush() }
