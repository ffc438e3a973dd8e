package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ResolvePath makes a path of the configuration absolute: a leading ~ is the home directory, a
// relative path is relative to the project's folder.
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
