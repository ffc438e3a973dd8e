package gobuild

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"strata/tests/lab/internal/build"
)

// Command describes a Go command to compile.
type Command struct {
	// Module is the folder of the command's module. Its go.mod pins every dependency.
	Module string
	// Packages are import paths, or relative paths such as "./cmd" in the module.
	Packages []string
	// Output is the name of the binary; it requires a single package. Default: the name of each
	// package.
	Output string
	// Variables are values for the linker's option -X, in order.
	Variables []string
	// Tags are build tags. Optional.
	Tags []string
	// Edits are applied to dependencies before the compilation. Optional. With edits, go.mod may
	// replace a dependency only by a folder inside the module.
	Edits []Edit
}

// environment has the variables of every build, which do not depend on the caller: no C compiler,
// no workspace, no downloaded toolchain.
var environment = []string{
	"CGO_ENABLED=0", "GOWORK=off", "GOTOOLCHAIN=local",
	"GOFLAGS=-mod=readonly -buildvcs=false -trimpath -gcflags=all=-dwarf=false",
}

// memory turns off garbage collection in the compiler and the linker until they use 1 GiB. Few
// packages need that much: Kubernetes's OpenAPI, one of the largest, needs 560 MiB. A build takes a
// third less processor time and 1.5 times the memory. The output is the same, so these variables
// are not part of the cache key.
var memory = []string{"GOGC=off", "GOMEMLIMIT=1GiB"}

// Key returns a digest of the module's files, of folders that replace its dependencies, of the
// flags and of the compiler's version.
func (c Command) Key() (string, error) {
	own, err := build.DigestTree(c.Module)
	if err != nil {
		return "", err
	}
	parts := []string{"gobuild", runtime.Version(), runtime.GOOS, runtime.GOARCH, c.ldflags(), c.Output, own}
	parts = append(parts, environment...)
	parts = slices.Concat(parts, c.tags(), c.Packages, c.edits())
	local, err := replacedFolders(c.Module)
	if err != nil {
		return "", err
	}
	for _, dir := range local {
		sum, err := build.DigestTree(dir)
		if err != nil {
			return "", err
		}
		parts = append(parts, sum)
	}
	return build.Digest(parts...), nil
}

// Build compiles the command into the folder out.
func (c Command) Build(ctx context.Context, out string, log io.Writer) error {
	target := out + string(filepath.Separator)
	if c.Output != "" {
		target = filepath.Join(out, c.Output)
	}
	return c.Edited(ctx, log, func(c Command) error {
		args := slices.Concat([]string{"build", "-ldflags", c.ldflags(), "-o", target}, c.tags(), c.Packages)
		_, err := runGo(ctx, c.Module, log, args...)
		return err
	})
}

// tags returns the -tags flag. Without tags it returns nothing, so that the keys of other commands
// do not change.
func (c Command) tags() []string {
	if len(c.Tags) == 0 {
		return nil
	}
	return []string{"-tags", strings.Join(c.Tags, ",")}
}

// ldflags returns the linker flags. They omit symbol tables, which are half of a binary and which
// the lab does not need.
func (c Command) ldflags() string {
	flags := []string{"-s", "-w"}
	for _, variable := range c.Variables {
		flags = append(flags, "-X", variable)
	}
	return strings.Join(flags, " ")
}

// ModuleDir returns the source folder of a dependency in the module cache. It downloads the
// dependency if needed. module is the folder of the go.mod that pins it.
func ModuleDir(ctx context.Context, module, path string, log io.Writer) (string, error) {
	text, err := runGo(ctx, module, log, "list", "-m", "-f", "{{.Path}}@{{.Version}}", path)
	if err != nil {
		return "", err
	}
	text, err = runGo(ctx, module, log, "mod", "download", "-json", strings.TrimSpace(text))
	if err != nil {
		return "", err
	}
	var answer struct{ Dir string }
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return "", fmt.Errorf("reading the answer of go mod download %s: %w", path, err)
	}
	return answer.Dir, nil
}

// runGo runs the go command in the folder module, and returns its standard output.
func runGo(ctx context.Context, module string, log io.Writer, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = module
	command.Env = slices.Concat(os.Environ(), memory, environment)
	command.Stderr = log
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go %s in %s: %w", args[0], module, err)
	}
	return string(out), nil
}

// replacedFolders returns the local folders that a go.mod uses in place of modules.
func replacedFolders(module string) ([]string, error) {
	path := filepath.Join(module, "go.mod")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the module: %w", err)
	}
	file, err := modfile.Parse(path, text, nil)
	if err != nil {
		return nil, fmt.Errorf("reading the module: %w", err)
	}
	var dirs []string
	for _, replace := range file.Replace {
		if replace.New.Version == "" {
			dirs = append(dirs, filepath.Join(module, filepath.FromSlash(replace.New.Path)))
		}
	}
	return dirs, nil
}
