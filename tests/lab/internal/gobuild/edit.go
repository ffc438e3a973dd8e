package gobuild

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// Edit is a change to a dependency's sources: for the little that keeps it from the versions that the other commands have. The compiler's
// cache cannot tell that a package of it is edited from its name, only from its contents, so that nothing else is compiled anew.
type Edit struct {
	// Module is the dependency's path.
	Module string
	// Old is what becomes New in all its Go files. That it is nowhere is an error: the dependency needs no edit, or another one.
	Old, New string
}

// edits digest what is edited; nothing, so that the keys of other commands do not change, where that is nothing.
func (c Command) edits() []string {
	var parts []string
	for _, edit := range c.Edits {
		parts = append(parts, "edit", edit.Module, edit.Old, edit.New)
	}
	return parts
}

// edited returns the command for a copy of its module in the folder work, in which edited copies of dependencies lie as well: all paths
// are relative, because a binary tells them.
func (c Command) edited(ctx context.Context, work string, log io.Writer) (Command, error) {
	if err := os.CopyFS(work, os.DirFS(c.Module)); err != nil {
		return c, fmt.Errorf("copying the module: %w", err)
	}
	path := filepath.Join(work, "go.mod")
	text, err := os.ReadFile(path)
	if err != nil {
		return c, fmt.Errorf("reading the module: %w", err)
	}
	file, err := modfile.Parse(path, text, nil)
	if err != nil {
		return c, fmt.Errorf("reading the module: %w", err)
	}
	for i, edit := range c.Edits {
		folder := fmt.Sprintf("./edited/%d", i)
		if err := c.editTo(ctx, edit, filepath.Join(work, folder), log); err != nil {
			return c, fmt.Errorf("editing %s: %w", edit.Module, err)
		}
		if err := file.AddReplace(edit.Module, "", folder, ""); err != nil {
			return c, fmt.Errorf("editing %s: %w", edit.Module, err)
		}
	}
	if text, err = file.Format(); err != nil {
		return c, fmt.Errorf("writing the module: %w", err)
	}
	c.Module, c.Edits = work, nil
	return c, os.WriteFile(path, text, 0o644)
}

// editTo copies a dependency to a folder and edits it there.
func (c Command) editTo(ctx context.Context, edit Edit, folder string, log io.Writer) error {
	dir, err := runGo(ctx, c.Module, log, "list", "-m", "-f", "{{.Dir}}", edit.Module)
	if err != nil {
		return err
	}
	if dir = strings.TrimSpace(dir); dir == "" {
		if dir, err = ModuleDir(ctx, c.Module, edit.Module, log); err != nil {
			return err
		}
	}
	if err := os.CopyFS(folder, os.DirFS(dir)); err != nil {
		return fmt.Errorf("copying it: %w", err)
	}
	found := 0
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte(edit.Old)) {
			return err
		}
		found++
		return os.WriteFile(path, bytes.ReplaceAll(text, []byte(edit.Old), []byte(edit.New)), 0o644)
	})
	if err == nil && found == 0 {
		return fmt.Errorf("%q is in none of its files; take the edit away, or look what became of it", edit.Old)
	}
	return err
}
