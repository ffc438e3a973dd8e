package build

import (
	"context"
	"io"
)

// Step is one node of the build graph.
type Step struct {
	// Name is unique in the graph. A cache entry is named NAME-KEY.
	Name string
	// Needs are the names of the steps whose output this step reads.
	Needs []string
	// Key returns a digest of all inputs except the needed steps; the build adds their keys. If Key
	// is nil, the step has no cached output. It then runs in every build, and must itself detect
	// that there is nothing to do.
	Key func() (string, error)
	// Fetch downloads Run's inputs, so that Run does not wait for the network. Fetches start when
	// the build starts, a few at once, in the order of the list. A cached step fetches nothing. A
	// step without a key sets Fetch only if there is something to fetch. Optional.
	Fetch func(ctx context.Context, log io.Writer) error
	// Beside reports whether Run mostly waits instead of computing. Such a step starts as soon as
	// its needs are built, and uses no job slot.
	Beside bool
	// Run does the work and writes its files to the folder out, which is "" for a step without Key.
	// The build shows the content of log if Run fails.
	Run func(ctx context.Context, out string, needs Outputs, log io.Writer) error
}

// Outputs maps the names of finished steps to their outputs.
type Outputs map[string]Entry

// Entry is the cached output of a step.
type Entry struct {
	// Dir is the folder that has the files.
	Dir string `json:"-"`
	// Key is the step's key, which includes the keys of the needed steps.
	Key string `json:"key"`
	// Seconds is the time that the step took when it was built.
	Seconds float64 `json:"seconds"`
	// Files are the step's files, sorted by path.
	Files []File `json:"files"`
	// Cached reports whether this build took the output from the cache, or the step has no Key.
	Cached bool `json:"-"`
}

// File describes one file of an entry.
type File struct {
	// Path is relative to the entry's folder, with slashes.
	Path string `json:"path"`
	// SHA256 is the lower-case hexadecimal digest of the content.
	SHA256 string `json:"sha256"`
	// Size is in bytes.
	Size int64 `json:"size"`
}

// File returns the file at a path, and reports whether the entry has it.
func (e Entry) File(path string) (File, bool) {
	for _, file := range e.Files {
		if file.Path == path {
			return file, true
		}
	}
	return File{}, false
}
