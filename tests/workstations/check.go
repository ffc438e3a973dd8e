package workstations

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// system is a system for which the program is compiled, as GOOS and GOARCH.
type system struct{ os, arch string }

// listed is a package in the output of `go list` for a system.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	// ImportMap has the imports that stand for another path: packages that the standard library
	// vendors.
	ImportMap map[string]string
	Module    *struct {
		Main      bool
		GoVersion string
	}
}

// own reports whether a package belongs to the program.
func (p listed) own() bool { return p.Module != nil && p.Module.Main }

// list returns a package and all its imports, each after its own imports.
func (s system) list(dir, pkg string) ([]listed, error) {
	command := exec.Command("go", "list", "-deps",
		"-json=ImportPath,Dir,GoFiles,ImportMap,Module", pkg)
	command.Dir, command.Env = dir, append(os.Environ(), "GOOS="+s.os, "GOARCH="+s.arch,
		"CGO_ENABLED=0")
	out, err := command.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return nil, fmt.Errorf("%s: %s", strings.Join(command.Args, " "), failed.Stderr)
	} else if err != nil {
		return nil, err
	}
	var all []listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var one listed
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
}

// sources has parsed files, most of which are the same for all systems.
type sources struct {
	set   *token.FileSet
	files map[string]*ast.File
}

func newSources() *sources { return &sources{token.NewFileSet(), map[string]*ast.File{}} }

// parse parses the files of a package. It omits function bodies of packages that are not the
// program's own, because they take most of the memory.
func (s *sources) parse(p listed) ([]*ast.File, error) {
	var files []*ast.File
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		file, known := s.files[path]
		if !known {
			var err error
			if file, err = parser.ParseFile(s.set, path, nil,
				parser.SkipObjectResolution); err != nil {
				return nil, err
			}
			if !p.own() {
				withoutBodies(file)
			}
			s.files[path] = file
		}
		files = append(files, file)
	}
	return files, nil
}

func withoutBodies(file *ast.File) {
	for _, declaration := range file.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && function.Body != nil {
			function.Body = &ast.BlockStmt{Lbrace: function.Body.Lbrace,
				Rbrace: function.Body.Rbrace}
		}
	}
}

// check type-checks a package and all its imports for a system. It returns the folders of the
// program's own packages, and an error with every mistake.
func (s *sources) check(on system, dir, pkg string) (own []string, err error) {
	all, err := on.list(dir, pkg)
	if err != nil {
		return nil, err
	}
	var mistakes []error
	done := map[string]*types.Package{"unsafe": types.Unsafe}
	for _, p := range all {
		if p.ImportPath == "unsafe" {
			continue
		}
		files, err := s.parse(p)
		if err != nil {
			return nil, err
		}
		if p.own() {
			own = append(own, p.Dir)
		}
		config := types.Config{
			Importer: imports{done, p.ImportMap}, Sizes: types.SizesFor("gc", on.arch),
			IgnoreFuncBodies: !p.own(),
			Error:            func(err error) { mistakes = append(mistakes, err) },
		}
		if p.Module != nil && p.Module.GoVersion != "" {
			config.GoVersion = "go" + p.Module.GoVersion
		}
		done[p.ImportPath], _ = config.Check(p.ImportPath, s.set, files, nil) // mistakes has its errors
	}
	return own, errors.Join(mistakes...)
}

// imports resolves imports by packages that were checked before.
type imports struct {
	done map[string]*types.Package
	// mapped has the imports that stand for another path.
	mapped map[string]string
}

// Import implements types.Importer.
func (i imports) Import(path string) (*types.Package, error) {
	if mapped, ok := i.mapped[path]; ok {
		path = mapped
	}
	if found := i.done[path]; found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("%s was not listed", path)
}
