package scaffold

import (
	"os"
	"path/filepath"
	"strings"
)

// PathInStack is the path of a file, such as a private key, as a stack file names it, from the path
// that a command line names, which is relative to the current folder: below the home directory with
// a leading ~, inside the project relative to it, so that the same file is right for others who
// work on the stack; otherwise absolute.
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
	if inside, ok := below(folder, path); ok {
		return inside, nil
	}
	if home, err := os.UserHomeDir(); err == nil {
		if inside, ok := below(home, path); ok {
			return "~/" + inside, nil
		}
	}
	return path, nil
}

// below is a path relative to a folder that it lies in.
func below(folder, path string) (string, bool) {
	inside, err := filepath.Rel(folder, path)
	if err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
		return "", false
	}
	return inside, true
}
