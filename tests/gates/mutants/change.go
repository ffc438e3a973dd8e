package main

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// mutant is one change.
type mutant struct {
	id       int
	file     string
	line     int
	function string
	// change says what became what.
	change string
	killed bool
}

// changer puts choices into source files and remembers them.
type changer struct {
	mutants  []*mutant
	files    *token.FileSet
	file     string
	function string
}

// rewrite writes a file with every choice in it.
func (c *changer) rewrite(path, to string) error {
	c.files = token.NewFileSet()
	parsed, err := parser.ParseFile(c.files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	c.file = filepath.Base(path)
	for _, declaration := range parsed.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || function.Body == nil || observes(function) || function.Name.Name == "init" {
			continue
		}
		c.function = function.Name.Name
		c.block(function.Body)
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer out.Close() //nolint:errcheck // the build fails on half a file.
	return printer.Fprint(out, token.NewFileSet(), parsed)
}

// observes reports whether a function observes the world: it has a context, or builds what has.
func observes(function *ast.FuncDecl) bool {
	if strings.HasPrefix(function.Name.Name, "new") {
		return true
	}
	for _, parameter := range function.Type.Params.List {
		if selector, ok := parameter.Type.(*ast.SelectorExpr); ok && selector.Sel.Name == "Context" {
			return true
		}
	}
	return false
}

func (c *changer) add(at token.Pos, change string) int {
	id := len(c.mutants) + 1
	c.mutants = append(c.mutants, &mutant{id: id, file: c.file, line: c.files.Position(at).Line, function: c.function, change: change})
	return id
}
