package graph_test

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program in another module cannot use types of internal packages, so it could not set a field of
// such a type.
func TestPublicArgumentsUseNoInternalTypes(t *testing.T) {
	assert.Empty(t, internalWithin(t, "strata/components"))
}

func TestSearchFindsInternalTypeInParameter(t *testing.T) {
	// NewCluster of this package has a parameter of internal/ssh.
	assert.NotEmpty(t, internalWithin(t, "strata/health/kube"))
}

// internalWithin returns the paths from a package's constructors and Args to types of internal
// packages, through parameters and exported fields.
func internalWithin(t *testing.T, name string) []string {
	t.Helper()
	pkg, err := importer.ForCompiler(token.NewFileSet(), "gc", exports(t, name)).Import(name)
	require.NoError(t, err)
	s := search{seen: map[types.Type]bool{}}
	for _, one := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(one)
		if object.Exported() && (strings.HasPrefix(one, "New") || strings.HasSuffix(one, "Args")) {
			s.walk(one, object.Type())
		}
	}
	slices.Sort(s.found)
	return s.found
}

// exports returns a reader of the compiler's export data of a package and all its imports.
func exports(t *testing.T, name string) importer.Lookup {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-f",
		"{{.ImportPath}}={{.Export}}", name)
	list.Dir = root
	listed, err := list.Output()
	require.NoError(t, err)
	files := map[string]string{}
	for line := range bytes.Lines(listed) {
		imported, file, _ := strings.Cut(strings.TrimSpace(string(line)), "=")
		files[imported] = file
	}
	return func(imported string) (io.ReadCloser, error) {
		if files[imported] == "" {
			return nil, fmt.Errorf("no export data of %s", imported)
		}
		return os.Open(files[imported])
	}
}

// search collects the types of internal packages to which parameters and exported fields lead.
type search struct {
	seen  map[types.Type]bool
	found []string
}

func (s *search) walk(at string, of types.Type) {
	if s.seen[of] {
		return
	}
	s.seen[of] = true
	switch of := types.Unalias(of).(type) {
	case *types.Named:
		s.named(at, of)
	case *types.Struct:
		for i := range of.NumFields() {
			if field := of.Field(i); field.Exported() {
				s.walk(at+"."+field.Name(), field.Type())
			}
		}
	case *types.Signature:
		for parameter := range of.Params().Variables() {
			s.walk(at+"()", parameter.Type())
		}
	case *types.Map:
		s.walk(at, of.Key())
		s.walk(at, of.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		s.walk(at, of.Elem())
	}
}

// named visits a type of Strata and its type arguments. Types of other modules are not visited.
func (s *search) named(at string, of *types.Named) {
	for argument := range of.TypeArgs().Types() {
		s.walk(at, argument)
	}
	pkg := of.Obj().Pkg()
	switch {
	case pkg == nil || !strings.HasPrefix(pkg.Path(), "strata/"):
	case strings.HasPrefix(pkg.Path(), "strata/internal/"):
		s.found = append(s.found, fmt.Sprintf("%s: %s.%s", at, path.Base(pkg.Path()),
			of.Obj().Name()))
	default:
		s.walk(at, of.Underlying())
	}
}
