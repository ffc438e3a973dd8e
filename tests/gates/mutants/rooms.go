package main

import (
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	healthFolder  = "health"
	gatesFolder   = "tests/gates"
	choicePackage = "strata/tests/gates/mutants/choice"
)

// notJudging are packages and files without judge functions; doc.go describes them.
var notJudging = []string{
	"health/healthtest", "health/kinds",
	"health/report.go",
}

// room is a package of health, with its files that may have mutants.
type room struct {
	folder string
	files  []string
}

// rooms returns the packages of health, including health itself, sorted by name. It must run in the
// root of the repository.
func rooms() ([]room, error) {
	var all []room
	paths, err := filepath.Glob(healthFolder + "/*/*.go")
	if err != nil {
		return nil, err
	}
	own, err := filepath.Glob(healthFolder + "/*.go")
	if err != nil {
		return nil, err
	}
	for _, path := range append(own, paths...) {
		folder := filepath.Dir(path)
		if strings.HasSuffix(path, "_test.go") || slices.Contains(notJudging, path) ||
			slices.Contains(notJudging, folder) {
			continue
		}
		if len(all) == 0 || all[len(all)-1].folder != folder {
			all = append(all, room{folder: folder})
		}
		last := &all[len(all)-1]
		last.files = append(last.files, path)
	}
	if len(all) == 0 {
		return nil, os.ErrNotExist
	}
	return all, nil
}

// judges reports whether a function may have mutants: its result depends only on its arguments,
// because it has no context and is no constructor.
func judges(function *ast.FuncDecl) bool {
	if strings.HasPrefix(strings.ToLower(function.Name.Name), "new") ||
		function.Name.Name == "init" {
		return false
	}
	return !slices.ContainsFunc(function.Type.Params.List, func(parameter *ast.Field) bool {
		selector, ok := parameter.Type.(*ast.SelectorExpr)
		return ok && selector.Sel.Name == "Context"
	})
}
