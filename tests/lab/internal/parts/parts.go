package parts

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"strings"
	"text/tabwriter"

	"strata/tests/lab/internal/bundle"
)

// Part is one line of the table.
type Part struct {
	// Name is the artifact's, with the file's name where several share it.
	Name string
	// Kind is "real", "stand-in" or "original".
	Kind string
	// Version is the content's.
	Version string
	// Pin is Strata's pin if that is a different version; otherwise empty.
	Pin string
	// What describes the part.
	What string
}

// List makes a line of each artifact.
func List(artifacts []bundle.Artifact, pins map[string]string) []Part {
	count := map[string]int{}
	for _, artifact := range artifacts {
		count[artifact.Name]++
	}
	var list []Part
	for _, artifact := range artifacts {
		kind, what, _ := strings.Cut(artifact.Origin, ": ")
		part := Part{Name: artifact.Name, Kind: kind, Version: artifact.Version, What: what}
		if count[artifact.Name] > 1 {
			part.Name += " " + path.Base(artifact.Path)
		}
		// Some projects write versions with a v and some without; it is no difference.
		if pin := pins[artifact.Name]; strings.TrimPrefix(pin, "v") != strings.TrimPrefix(artifact.Version, "v") {
			part.Pin = pin
		}
		list = append(list, part)
	}
	return list
}

// Print writes the table, and a sentence with the counts that a reader should know.
func Print(out io.Writer, list []Part) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "PART\tIS\tVERSION\tPIN\tWHAT")
	stand, original, differ := 0, 0, 0
	for _, part := range list {
		switch part.Kind {
		case "stand-in":
			stand++
		case "original":
			original++
		}
		if part.Pin != "" {
			differ++
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", part.Name, part.Kind, part.Version,
			cmp.Or(part.Pin, "="), part.What)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("printing the parts: %w", err)
	}
	originals := ""
	if original > 0 {
		originals = fmt.Sprintf(", %d are originals", original)
	}
	_, err := fmt.Fprintf(out, "%d of %d parts are stand-ins%s; %d differ from their pin (=: no "+
		"pin, or the same)\n", stand, len(list), originals, differ)
	return err
}
