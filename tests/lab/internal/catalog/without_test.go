package catalog

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// empty lists the stub packages in which no function must return an error, with their contents.
var empty = map[string]string{
	"argocd/without/bitbucket":      "types, and what makes a client that can do nothing",
	"argocd/without/go-github-v84":  "types",
	"argocd/without/gates":          "nothing to call: it switches off what Kubernetes' clients do unasked",
	"argocd/without/swagger":        "a page, which says that it is not there",
	"argocd/without/webhook":        "a page, which says that it is not there",
	"cert-manager/without/dns":      "one solver, cert-manager's own",
	"cert-manager/without/endpoint": "types",
	"pulumi/without/ansi":           "types",
	"traefik/without/ext":           "types, which are empty in the original as well",
}

// harmless lists the functions of stubs that need not return an error, with the reason.
var harmless = map[string]string{
	"argocd/without/cli DefaultPluginHandler.HandleCommandExecutionError": "it hands on what refused",
	"argocd/without/webhook NewWebhookHandler":                            "what it makes refuses",
	"cert-manager/without/dns NewSolver":                                  "what it makes refuses what is not RFC 2136",
	"cert-manager/without/dns Solver.Present":                             "it hands on to RFC 2136's",
	"cert-manager/without/dns Solver.Check":                               "it asks the DNS, whichever the solver",
	"cert-manager/without/dns Solver.CleanUp":                             "it hands on to RFC 2136's",
	"cert-manager/without/dns Solver.request":                             "it refuses what is not RFC 2136",
	"traefik/without/plugins NewBuilder":                                  "what it makes refuses",
	"vault/without/go-discover New":                                       "what it makes refuses",
}

// stub has the functions of a stub package that can fail, and the texts of its errors.
type stub struct {
	functions map[string]*ast.FuncDecl
	errors    map[string]string
}

// read parses the Go files of a stub package. A stub may use the errors of another stub of the same
// program.
func read(t *testing.T, dir string) stub {
	t.Helper()
	found := stub{map[string]*ast.FuncDecl{}, map[string]string{}}
	require.NoError(t, filepath.WalkDir(filepath.Dir(dir), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		own := strings.HasPrefix(path, dir+"/")
		for _, declaration := range file.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && own && canFail(function) {
				found.functions[strings.TrimPrefix(filepath.Dir(path), "../../tools/")+" "+name(function)] = function
			}
		}
		ast.Inspect(file, func(node ast.Node) bool {
			value, ok := node.(*ast.ValueSpec)
			if ok && len(value.Values) == 1 && (own || found.errors[value.Names[0].Name] == "") {
				found.errors[value.Names[0].Name] = words(value.Values[0])
			}
			return true
		})
		return nil
	}))
	return found
}

func name(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return function.Name.Name
	}
	receiver := function.Recv.List[0].Type
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	if of, ok := receiver.(*ast.Ident); ok {
		return of.Name + "." + function.Name.Name
	}
	return function.Name.Name
}

// canFail reports whether a function's last result is an error.
func canFail(function *ast.FuncDecl) bool {
	results := function.Type.Results
	if results == nil {
		return false
	}
	last, ok := results.List[len(results.List)-1].Type.(*ast.Ident)
	return ok && last.Name == "error"
}

// words returns the text of an error: the first argument of a call such as errors.New.
func words(value ast.Expr) string {
	call, ok := value.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return ""
	}
	literal, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return ""
	}
	text, _ := strconv.Unquote(literal.Value)
	return text
}

// says returns the text of an expression that a function returns as its error.
func (s stub) says(value ast.Expr) string {
	switch typed := value.(type) {
	case *ast.Ident:
		return s.errors[typed.Name]
	case *ast.SelectorExpr:
		return s.errors[typed.Sel.Name]
	}
	return words(value)
}

// A stub must not return a result, because its caller would take it for the real service's.
func TestStubPackagesReturnErrorsForOmittedFeatures(t *testing.T) {
	dirs, err := filepath.Glob("../../tools/*/without/*")
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	for _, dir := range dirs {
		if filepath.Base(dir) == "go.mod" {
			continue // the go.mod of the stubs that replace packages
		}
		stub := read(t, dir)
		refuses := 0
		for name, function := range stub.functions {
			if harmless[name] == "" {
				stub.refuses(t, name, function)
				refuses++
			}
		}
		name := strings.TrimPrefix(dir, "../../tools/")
		assert.Equal(t, empty[name] == "", refuses > 0, "%s: %d functions refuse", name, refuses)
	}
}

// A stub that no edit imports replaces nothing.
func TestEveryStubPackageIsImportedByAnEdit(t *testing.T) {
	var edits strings.Builder
	for _, command := range commands() {
		for _, edit := range command.Edits {
			edits.WriteString(edit.New)
		}
	}
	dirs, err := filepath.Glob("../../tools/*/without/*")
	require.NoError(t, err)
	for _, dir := range dirs {
		modules, err := filepath.Glob(filepath.Join(dir, "go.mod"))
		require.NoError(t, err)
		if len(modules) == 0 && filepath.Base(dir) != "go.mod" {
			assert.Contains(t, edits.String(), "/without/"+filepath.Base(dir)+`"`, "no edit has an import of it")
		}
	}
}

// refuses asserts that every return statement of a function returns an error whose text begins with
// "the lab".
func (s stub) refuses(t *testing.T, name string, function *ast.FuncDecl) {
	t.Helper()
	returns := 0
	ast.Inspect(function, func(node ast.Node) bool {
		result, ok := node.(*ast.ReturnStmt)
		if !ok {
			return true
		}
		returns++
		said := ""
		if len(result.Results) > 0 {
			said = s.says(result.Results[len(result.Results)-1])
		}
		assert.True(t, strings.HasPrefix(said, "the lab"), "%s says %q: it must refuse, and say "+
			"what the lab has not", name, said)
		return true
	})
	assert.NotZero(t, returns, name)
}
