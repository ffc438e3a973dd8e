package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ResolvePath returns a path of the configuration as an absolute path. A leading ~ is the home
// directory, and a relative path is relative to the project's folder.
func ResolvePath(projectDir, path string) (string, error) {
	if path == "~" || strings.HasPrefix(path, "~/") {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("path %s: %w", path, err)
		}
		return filepath.Join(home, path[1:]), nil
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	return filepath.Abs(filepath.Join(projectDir, path))
}
