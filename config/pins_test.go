package config_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// constants lists the files whose text constants are pins. The names of these constants end in
// ending.
var constants = []struct{ file, ending string }{
	{"pins.go", "Version"},
	{"charts.go", "Version"},
	{"../components/demo_keycloak.go", "Image"},
	{"../tests/lab/internal/catalog/versions.go", "Version"},
}

// pinned returns the version of each pin in the checkout, by the pin's name.
func pinned(t *testing.T) map[string]string {
	t.Helper()
	pins := map[string]string{}
	add := func(name, version string) {
		require.Empty(t, pins[name], "two pins are called %s", name)
		pins[name] = version
	}
	for _, from := range constants {
		file, err := parser.ParseFile(token.NewFileSet(), from.file, nil,
			parser.SkipObjectResolution)
		require.NoError(t, err)
		before := len(pins)
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.ValueSpec:
				for i, name := range node.Names {
					if i < len(node.Values) && strings.HasSuffix(name.Name, from.ending) {
						if version, ok := text(node.Values[i]); ok {
							add(name.Name, version[strings.LastIndex(version, ":")+1:])
						}
					}
				}
			case *ast.KeyValueExpr: // the plugins
				name, isName := text(node.Key)
				version, isVersion := text(node.Value)
				if isName && isVersion && !strings.Contains(name, "/") && version[0] >= '0' &&
					version[0] <= '9' {
					add(name, version)
				}
			}
			return true
		})
		require.Greater(t, len(pins), before, from.file)
	}
	modules, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	for _, found := range regexp.MustCompile(`(?m)^\t(github\.com/pulumi/pulumi\S*/sdk\S*) (v\S+)$`).FindAllStringSubmatch(string(modules), -1) {
		add(found[1], found[2])
	}
	return pins
}

// text returns the value of a string literal; false for other expressions and an empty text.
func text(expression ast.Expr) (string, bool) {
	literal, ok := expression.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	found, err := strconv.Unquote(literal.Value)
	return found, err == nil && found != ""
}

// row matches a line of the page: a pin's name, its version, the reason, and the next step.
var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\|$")

// Each pin needs a reason. Without one, a reader cannot tell whether the version may be raised.
func TestEveryPinIsDocumentedInVersionsPage(t *testing.T) {
	page, err := os.ReadFile("../docs/versions.md")
	require.NoError(t, err)
	written := map[string]string{}
	for _, found := range row.FindAllStringSubmatch(string(page), -1) {
		require.Empty(t, written[found[1]], "two rows for %s", found[1])
		written[found[1]] = found[2]
	}
	pins := pinned(t)
	assert.Greater(t, len(pins), 30)
	assert.Equal(t, pins, written, "docs/versions.md: each pin has a row with its version, and each row a pin")
}
