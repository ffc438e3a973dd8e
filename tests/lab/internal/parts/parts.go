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
	// Name is the artifact's name. If several files share the name, the file name follows.
	Name string
	// Kind is "real", "stand-in" or "original".
	Kind string
	// Version is the artifact's version.
	Version string
	// Pin is Strata's pin if it differs from Version; otherwise it is empty.
	Pin string
	// What describes the origin of the part.
	What string
}

// List returns one line for each artifact.
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
		// A leading v is no difference, because some projects write it and some do not.
		if pin := pins[artifact.Name]; strings.TrimPrefix(pin, "v") != strings.TrimPrefix(artifact.Version, "v") {
			part.Pin = pin
		}
		list = append(list, part)
	}
	return list
}

// Print writes the table, and a line with the numbers of stand-ins, upstream artifacts and
// differing versions.
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
