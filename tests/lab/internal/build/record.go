package build

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// Record is a run of a build: the time spent on each part, and the estimates of the rest. Times are
// seconds since its beginning.
type Record struct {
	// Cores is the machine's number of processors.
	Cores int `json:"cores"`
	// Parts are the steps and downloads that were not there, in the order of the list.
	Parts []Part `json:"parts"`
	// Samples were taken every few seconds.
	Samples []Sample `json:"samples"`
}

// Part is a step or a download.
type Part struct {
	// Name is the step's, or DownloadOf it.
	Name string `json:"name"`
	// Began and Ended are 0 as long as it has not.
	Began float64 `json:"began"`
	Ended float64 `json:"ended"`
	// Processor is the processor time that it took, in seconds.
	Processor float64 `json:"processor"`
	// Weight is the expected cost.
	Weight Weight `json:"weight"`
	// Beside is the step's.
	Beside bool `json:"beside,omitempty"`
	// Always says that the part runs in every build, with an unknown amount of work.
	Always bool `json:"always,omitempty"`
}

// Sample is a moment of a run.
type Sample struct {
	At float64 `json:"at"`
	// Processor is the processor time of the whole run until then.
	Processor float64 `json:"processor"`
	// Rest is the announced rest, in seconds.
	Rest float64 `json:"rest"`
}

// Moment holds the observations of a run up to a time.
type Moment struct {
	At float64
	// Processor is the processor time of the run so far; Rate how many cores it had of late.
	Processor, Rate        float64
	Done, Running, Waiting []Part
}

// rateOver is the time in seconds after which the machine's earlier rate counts a third: longer
// than the linking of a large command, which uses one core, and shorter than a build of one.
const rateOver = 90.0

// Moment returns the record's observations up to a time, and nothing that came later.
func (r *Record) Moment(at float64) Moment {
	m := Moment{At: at, Rate: float64(r.Cores)}
	before := Sample{}
	for _, sample := range r.Samples {
		if sample.At > at || sample.At <= before.At {
			continue
		}
		span := sample.At - before.At
		m.Rate += (1 - math.Exp(-span/rateOver)) * ((sample.Processor-before.Processor)/span - m.Rate)
		before = sample
	}
	m.Processor = before.Processor
	for _, part := range r.Parts {
		switch {
		case part.Began == 0 || part.Began > at:
			m.Waiting = append(m.Waiting, part)
		case part.Ended == 0 || part.Ended > at:
			m.Running = append(m.Running, part)
		default:
			m.Done = append(m.Done, part)
		}
	}
	return m
}

// Built reports whether there was something to build.
func (r *Record) Built() bool {
	return slices.ContainsFunc(r.Parts, func(part Part) bool { return !part.Always })
}

// Write keeps the record in a file.
func (r *Record) Write(path string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return fmt.Errorf("the record of the build: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("the record of the build: %w", err)
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("the record of the build: %w", err)
	}
	return nil
}
