package gobuild

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// Edit is a text replacement in a dependency's sources. Edits make a dependency compile with the
// module versions of other commands, or replace imports of packages that are not needed. The
// compiler's cache identifies packages by content, so an edit does not recompile other packages.
type Edit struct {
	// Module is the dependency's module path.
	Module string
	// Old is replaced by New in all Go files of the module except tests. An Old that occurs nowhere
	// is an error, because the edit is then unnecessary or wrong.
	Old, New string
}

// edits returns the edits for the cache key. Without edits it returns nothing, so that the keys of
// other commands do not change.
func (c Command) edits() []string {
	var parts []string
	for _, edit := range c.Edits {
		parts = append(parts, "edit", edit.Module, edit.Old, edit.New)
	}
	return parts
}

// Edited calls do with the edited command: a temporary copy of its module that contains edited
// copies of its dependencies. Edited removes the copy afterwards. Paths in the copy are relative,
// because binaries contain paths.
func (c Command) Edited(ctx context.Context, log io.Writer, do func(Command) error) error {
	if len(c.Edits) == 0 {
		return do(c)
	}
	work, err := os.MkdirTemp("", "lab-edit-")
	if err != nil {
		return fmt.Errorf("making a folder for edits: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	if err := c.editInto(ctx, work, log); err != nil {
		return err
	}
	c.Module, c.Edits = work, nil
	return do(c)
}

// editInto copies the command's module to work, and the edited dependencies below it.
func (c Command) editInto(ctx context.Context, work string, log io.Writer) error {
	if err := os.CopyFS(work, os.DirFS(c.Module)); err != nil {
		return fmt.Errorf("copying the module: %w", err)
	}
	path := filepath.Join(work, "go.mod")
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the module: %w", err)
	}
	file, err := modfile.Parse(path, text, nil)
	if err != nil {
		return fmt.Errorf("reading the module: %w", err)
	}
	for i, module := range c.editedModules() {
		folder := fmt.Sprintf("./edited/%d", i)
		if err := c.editTo(ctx, module, filepath.Join(work, folder), log); err != nil {
			return fmt.Errorf("editing %s: %w", module, err)
		}
		if err := file.AddReplace(module, "", folder, ""); err != nil {
			return fmt.Errorf("editing %s: %w", module, err)
		}
	}
	if text, err = file.Format(); err != nil {
		return fmt.Errorf("writing the module: %w", err)
	}
	return os.WriteFile(path, text, 0o644)
}

// editedModules returns the modules that have edits, without duplicates.
func (c Command) editedModules() []string {
	var modules []string
	for _, edit := range c.Edits {
		if !slices.Contains(modules, edit.Module) {
			modules = append(modules, edit.Module)
		}
	}
	return modules
}

// editTo copies a dependency to folder, and applies its edits to the copy.
func (c Command) editTo(ctx context.Context, module, folder string, log io.Writer) error {
	dir, err := runGo(ctx, c.Module, log, "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return err
	}
	if dir = strings.TrimSpace(dir); dir == "" {
		if dir, err = ModuleDir(ctx, c.Module, module, log); err != nil {
			return err
		}
	}
	made := map[Edit]bool{}
	if err := c.copyEdited(module, dir, folder, made); err != nil {
		return fmt.Errorf("copying it: %w", err)
	}
	for _, edit := range c.Edits {
		if edit.Module == module && !made[edit] {
			return fmt.Errorf("%q is in none of its files; take the edit away, or look what became of it", edit.Old)
		}
	}
	return nil
}

// copyEdited copies a module and applies its edits. It omits tests, which are most of some modules.
func (c Command) copyEdited(module, from, to string, made map[Edit]bool) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		switch {
		case entry.IsDir() && entry.Name() == "testdata":
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(target, 0o755)
		case strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if filepath.Ext(path) == ".go" {
			text = c.edit(module, text, made)
		}
		return os.WriteFile(target, text, 0o644)
	})
}

// edit applies a module's edits to the text of a file, and records in made the edits that matched.
func (c Command) edit(module string, text []byte, made map[Edit]bool) []byte {
	for _, edit := range c.Edits {
		if edit.Module == module && bytes.Contains(text, []byte(edit.Old)) {
			made[edit] = true
			text = bytes.ReplaceAll(text, []byte(edit.Old), []byte(edit.New))
		}
	}
	return text
}
