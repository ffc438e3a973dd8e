package build

import (
	"context"
	"io"
)

// Step is one node of the build graph.
type Step struct {
	// Name is unique in the graph. A cache entry is named NAME-KEY.
	Name string
	// Needs are the names of the steps whose output this one reads.
	Needs []string
	// Key returns a digest of everything that the output depends on, except the needed steps, whose
	// keys are added. If Key is nil, the step has no output to keep. It then runs in every build
	// and must itself notice that there is nothing to do.
	Key func() (string, error)
	// Fetch downloads Run's inputs, so that Run need not wait for the network. All fetches start at
	// the beginning of the build, a few at once, in the order of the list. A cached step fetches
	// nothing. A step without a key has a Fetch only if there is something to fetch. Optional.
	Fetch func(ctx context.Context, log io.Writer) error
	// Beside says that Run waits more than it computes. The step then starts as soon as its needs
	// are built, and takes none of the places.
	Beside bool
	// Run does the work and writes its files into out (empty for a step without Key). The content
	// of log is shown if Run fails.
	Run func(ctx context.Context, out string, needs Outputs, log io.Writer) error
}

// Outputs holds the finished steps by name.
type Outputs map[string]Entry

// Entry is the cached output of a step.
type Entry struct {
	// Dir holds the files.
	Dir string `json:"-"`
	// Key is the full digest, which includes the keys of the needed steps.
	Key string `json:"key"`
	// Seconds is the duration of the step when it was built.
	Seconds float64 `json:"seconds"`
	// Files are the step's files, sorted by path.
	Files []File `json:"files"`
	// Cached says that this build did not run the step.
	Cached bool `json:"-"`
}

// File is one file of an entry.
type File struct {
	// Path is relative to the entry's folder, with slashes.
	Path string `json:"path"`
	// SHA256 is the lower-case hexadecimal digest of the content.
	SHA256 string `json:"sha256"`
	// Size is in bytes.
	Size int64 `json:"size"`
}

// File returns the file with a path, and whether the entry has it.
func (e Entry) File(path string) (File, bool) {
	for _, file := range e.Files {
		if file.Path == path {
			return file, true
		}
	}
	return File{}, false
}
