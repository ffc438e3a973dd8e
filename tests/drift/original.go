package drift

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Variable names the environment variable with the absolute path of the folder of upstream
// artifacts.
const Variable = "ORIGINALS"

// File is a file in the folder of upstream artifacts.
type File struct {
	// Path is the file's path, Version the version in its name.
	Path, Version string
}

// number matches the beginning of a version. It distinguishes k3s-v1.36.3+k3s1 from
// k3s-images-1.tar.
var number = regexp.MustCompile(`^v?[0-9]`)

// Original returns the upstream version of an artifact or of a plugin: a file ARTIFACT-VERSION,
// with or without an extension. there is false if there is no such file or no folder. Two versions
// of one artifact are an error.
func Original(artifact string) (file File, there bool, err error) {
	dir := os.Getenv(Variable)
	if dir == "" {
		return File{}, false, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return File{}, false, fmt.Errorf("%s: %w", Variable, err)
	}
	for _, entry := range entries {
		version, is := strings.CutPrefix(entry.Name(), artifact+"-")
		if !is || !number.MatchString(version) {
			continue
		}
		if there {
			return File{}, false, fmt.Errorf("%s: %s and %s are both %s; keep one", Variable,
				filepath.Base(file.Path), entry.Name(), artifact)
		}
		for _, ending := range []string{".tgz", ".yaml", ".sh"} {
			version = strings.TrimSuffix(version, ending)
		}
		file, there = File{Path: filepath.Join(dir, entry.Name()), Version: version}, true
	}
	return file, there, nil
}
