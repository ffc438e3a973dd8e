package chart

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
)

// Files maps paths in a chart to file contents. It puts a chart together from several sources.
type Files map[string]string

// Add adds all files below the folder dir. A file replaces one that has the same path.
func (f Files) Add(dir string) error {
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		f[filepath.ToSlash(relative)] = string(text)
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading the chart's files: %w", err)
	}
	return nil
}

// Replace replaces before by after in a file. It fails unless before occurs exactly once, so that a
// changed upstream file is noticed.
func (f Files) Replace(file, before, after string) error {
	if count := strings.Count(f[file], before); count != 1 {
		return fmt.Errorf("chart file %s has %q %d times, expected it once", file, before, count)
	}
	f[file] = strings.Replace(f[file], before, after, 1)
	return nil
}

// Package writes the chart to out, with the same checks as the function Package.
func (f Files) Package(version, out string) error {
	var buffered []*loader.BufferedFile
	for name, text := range f {
		buffered = append(buffered, &loader.BufferedFile{Name: name, Data: []byte(text)})
	}
	loaded, err := loader.LoadFiles(buffered)
	if err != nil {
		return fmt.Errorf("loading the chart: %w", err)
	}
	return pack(loaded, version, out)
}
