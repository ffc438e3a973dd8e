package scaffold

import (
	"os"
	"path/filepath"
	"strings"
)

// PathInStack returns the path of a file, such as a private key, for a stack file. named is the
// path on the command line, relative to the current folder. Below the home directory the result has
// a leading ~, and inside the project it is relative to it, so that the same file is right for
// other people. Otherwise it is absolute.
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

// trimFolder returns a path relative to a folder that contains it.
func trimFolder(folder, path string) (string, bool) {
	inside, err := filepath.Rel(folder, path)
	if err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
		return "", false
	}
	return inside, true
}
