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

// Command describes a compilation.
type Command struct {
	// Module is the folder of the module, whose go.mod pins every dependency.
	Module string
	// Packages are import paths, or "./…" inside the module.
	Packages []string
	// Output is the name of the binary. Optional: the default is each package's own name; needs a
	// single package.
	Output string
	// Variables are strings set by the linker (-X), in order.
	Variables []string
	// Tags are build tags. Optional.
	Tags []string
	// Edits are made to the dependencies' sources before the compilation. Optional. With edits, the
	// module may replace no dependency by a folder outside its own.
	Edits []Edit
}

// environment holds the variables of every build, independent of its caller: no C compiler, no
// workspace, no downloaded toolchain.
var environment = []string{
	"CGO_ENABLED=0", "GOWORK=off", "GOTOOLCHAIN=local",
	"GOFLAGS=-mod=readonly -buildvcs=false -trimpath -gcflags=all=-dwarf=false",
}

// memory turns off garbage collection in the compiler and the linker until they use 1 GiB, which
// few packages reach (Kubernetes' OpenAPI, among the largest: 560 MiB). This saves a third of the
// processor time of Go's default and takes half again as much memory. The output is the same, so
// these variables are not part of the cache key.
var memory = []string{"GOGC=off", "GOMEMLIMIT=1GiB"}

// Key digests the module's files, those of modules that its go.mod replaces by folders, the flags
// and the compiler.
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

// Build compiles into the folder out.
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

// tags returns the flag for build tags. Without tags it returns none, so that the keys of other
// commands do not change.
func (c Command) tags() []string {
	if len(c.Tags) == 0 {
		return nil
	}
	return []string{"-tags", strings.Join(c.Tags, ",")}
}

// ldflags returns linker flags that omit the symbol tables. The lab does not need them, and they
// are half of a binary.
func (c Command) ldflags() string {
	flags := []string{"-s", "-w"}
	for _, variable := range c.Variables {
		flags = append(flags, "-X", variable)
	}
	return strings.Join(flags, " ")
}

// ModuleDir returns the folder of a dependency's source in the module cache, downloading it if
// needed.
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

// runGo runs the go command in a module and returns its standard output.
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

// replacedFolders returns the folders that a go.mod puts in the place of modules.
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
