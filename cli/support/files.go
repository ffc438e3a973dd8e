package support

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"strata/internal/pulumi/stackstate"
)

// newest bounds the number of recordings in an archive.
const newest = 5

// stateText describes a state's resources, with the errors of their last creation, and the pending
// operations.
func stateText(state *stackstate.State) []byte {
	var text strings.Builder
	fmt.Fprintf(&text, "%d resources\n", len(state.Resources))
	for _, resource := range state.Resources {
		fmt.Fprint(&text, resource.URN)
		if resource.Delete {
			text.WriteString(" (left to delete by a replacement)")
		}
		text.WriteString("\n")
		for _, problem := range resource.InitErrors {
			text.WriteString("  failed: " + problem + "\n")
		}
	}
	for _, pending := range state.Pending {
		fmt.Fprintf(&text, "interrupted: %s %s\n", pending.Type, pending.Resource.URN)
	}
	return []byte(text.String())
}

// runs returns the newest recordings of a stack that `make up` and `make down` wrote; none if it
// was deployed in another way.
func runs(project, stack string) ([]File, error) {
	paths, err := filepath.Glob(filepath.Join(project, ".strata", "runs", stack+"-*.jsonl"))
	if err != nil {
		return nil, err
	}
	type recording struct {
		path string
		at   time.Time
	}
	var all []recording
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			return nil, err
		}
		if info.Mode().IsRegular() { // skip the link to the newest one
			all = append(all, recording{path, info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b recording) int { return b.at.Compare(a.at) })
	var files []File
	var problems []error
	for _, one := range all[:min(newest, len(all))] {
		content, err := os.ReadFile(one.path)
		problems = append(problems, err)
		files = append(files, File{"runs/" + filepath.Base(one.path), content})
	}
	return files, errors.Join(problems...)
}
