package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
)

// mutant is one change of the code that the command tries.
type mutant struct {
	id int
	// file is relative to the repository's root. function is the changed function, and change has
	// the old and the new text. nth numbers the mutants that are equal in all of these, in the
	// order of the file.
	file, function, change string
	nth, line              int
	killed                 bool
}

// name returns the mutant's name, without a line number. It stays the same as long as the function
// is unchanged.
func (m *mutant) name() string {
	name := fmt.Sprintf("%s %s: %s", m.file, m.function, m.change)
	if m.nth > 0 {
		name += fmt.Sprintf(" #%d", m.nth+1)
	}
	return name
}

// edit replaces a part of a file by a text. Edits at the same position are sorted by rank.
type edit struct {
	from, to, rank int
	text           string
}

// instrumenter inserts choices into one file. It edits the text, so comments, embedded files and
// line numbers are unchanged.
type instrumenter struct {
	files    *token.FileSet
	all      *[]*mutant
	file     string
	function string
	edits    []edit
}

const choices = "mutated"

// instrument returns the text of a file in which calls of package choice replace operators. It
// appends the mutants to all.
func instrument(path string, all *[]*mutant) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	i := &instrumenter{files: token.NewFileSet(), all: all, file: path}
	parsed, err := parser.ParseFile(i.files, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, declaration := range parsed.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && function.Body != nil &&
			judges(function) {
			i.function = function.Name.Name
			ast.Inspect(function.Body, i.visit)
		}
	}
	if len(i.edits) == 0 {
		return text, nil
	}
	i.replace(parsed.Name.End(), parsed.Name.End(),
		fmt.Sprintf("; import %s %q", choices, choicePackage))
	return i.apply(text), nil
}

func (i *instrumenter) apply(text []byte) []byte {
	slices.SortStableFunc(i.edits, func(a,
		b edit) int {
		return cmp.Or(a.from-b.from, a.rank-b.rank)
	})
	var out strings.Builder
	at := 0
	for _, e := range i.edits {
		out.Write(text[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(text[at:])
	return []byte(out.String())
}

// add records a mutant for each change, and returns the number of the first one.
func (i *instrumenter) add(at token.Pos, changes ...string) int {
	first := len(*i.all) + 1
	for _, change := range changes {
		m := &mutant{id: len(*i.all) + 1, file: i.file, function: i.function, change: change,
			line: i.files.Position(at).Line}
		for _, other := range *i.all {
			if other.file == m.file && other.function == m.function && other.change == m.change {
				m.nth++
			}
		}
		*i.all = append(*i.all, m)
	}
	return first
}

func (i *instrumenter) replace(from, to token.Pos, text string) {
	i.edits = append(i.edits, edit{i.files.Position(from).Offset, i.files.Position(to).Offset,
		len(i.edits), text})
}

// wrap puts an expression into a call. ast.Inspect visits inner nodes later, so they end before
// this one.
func (i *instrumenter) wrap(e ast.Expr, before, after string) {
	i.replace(e.Pos(), e.Pos(), choices+"."+before)
	end := i.files.Position(e.End()).Offset
	i.edits = append(i.edits, edit{end, end, -len(i.edits), after})
}
