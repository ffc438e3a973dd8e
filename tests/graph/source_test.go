package graph_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// These files and folders register resources.
var sources = []string{"main.go", "platform", "components", "health"}

// DependsOn with a component loses dependencies in a race. So only components.WaitFor may write
// DependsOn, with custom resources (docs/adr/0001). The linter has the same rule; this test runs
// without the linter.
func TestOnlyWaitForWritesDependsOn(t *testing.T) {
	places := dependsOn(t, sources...)
	// Registered.note only reads the dependencies that WaitFor has written.
	assert.Equal(t, []string{"components/component.go: WaitFor",
		"components/teardown.go: note"}, places)
}

func TestSearchFindsDependsOnInSource(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bad.go")
	require.NoError(t, os.WriteFile(file, []byte(
		"package bad\nimport p \"github.com/pulumi/pulumi/sdk/v3/go/pulumi\"\nfunc f() { _ = "+
			"p.DependsOnInputs(nil) }\n"), 0o600))
	assert.Len(t, dependsOn(t, file), 1)
}

// dependsOn returns the functions, as "FILE: NAME", that use an option DependsOn….
func dependsOn(t *testing.T, paths ...string) []string {
	t.Helper()
	var places []string
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
		require.NoError(t, filepath.WalkDir(path,
			func(file string, entry os.DirEntry, err error) error {
				if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") ||
					strings.HasSuffix(file, "_test.go") {
					return err
				}
				parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
				if err != nil {
					return err
				}
				for _, declared := range parsed.Decls {
					if usesDependsOn(declared) {
						relative, _ := filepath.Rel(root, file)
						places = append(places, relative+": "+nameOf(declared))
					}
				}
				return nil
			}))
	}
	return places
}

func usesDependsOn(declared ast.Decl) bool {
	found := false
	ast.Inspect(declared, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok {
			if _, isPackage := selector.X.(*ast.Ident); isPackage &&
				strings.HasPrefix(selector.Sel.Name, "DependsOn") {
				found = true
			}
		}
		return true
	})
	return found
}

func nameOf(declared ast.Decl) string {
	if function, ok := declared.(*ast.FuncDecl); ok {
		return function.Name.Name
	}
	return "a declaration"
}
