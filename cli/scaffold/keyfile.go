package scaffold

import (
	"os"
	"path/filepath"
	"strings"
)

// PathInStack returns the path of a file, such as a private key, as a stack file names it. named is
// the path from the command line, relative to the current folder. The result begins with ~ below
// the home directory, and is relative inside the project, so that it is also right for other users.
// Otherwise it is absolute.
func PathInStack(project, named string) (string, error) {
	if strings.HasPrefix(named, "~/") {
		return named, nil
	}
	path, err := filepath.Abs(named)
	if err != nil {
		return "", err
	}
	folder, err := filepath.Abs(project)
	if err != nil {
		return "", err
	}
	if inside, ok := trimFolder(folder, path); ok {
		return inside, nil
	}
	if home, err := os.UserHomeDir(); err == nil {
		if inside, ok := trimFolder(home, path); ok {
			return "~/" + inside, nil
		}
	}
	return path, nil
}

// trimFolder returns path relative to folder. The result is false if path is outside folder.
func trimFolder(folder, path string) (string, bool) {
	inside, err := filepath.Rel(folder, path)
	if err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
		return "", false
	}
	return inside, true
}
