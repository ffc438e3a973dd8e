package build

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// Record describes a run of a build: the time spent on each part, and the estimates of the
// remaining time. Times are seconds since the beginning of the run.
type Record struct {
	// Cores is the machine's number of processors.
	Cores int `json:"cores"`
	// Parts are the steps and downloads that were not cached, in the order of the list.
	Parts []Part `json:"parts"`
	// Samples were taken every few seconds.
	Samples []Sample `json:"samples"`
}

// Part is a step or a download.
type Part struct {
	// Name is the step's name or, for a download, DownloadOf the step.
	Name string `json:"name"`
	// Began and Ended are 0 until the part has begun or ended.
	Began float64 `json:"began"`
	Ended float64 `json:"ended"`
	// Processor is the processor time of the part, in seconds.
	Processor float64 `json:"processor"`
	// Weight is the expected cost.
	Weight Weight `json:"weight"`
	// Beside is the step's Beside.
	Beside bool `json:"beside,omitempty"`
	// Always says that the part runs in every build, with an unknown amount of work.
	Always bool `json:"always,omitempty"`
}

// Sample is a moment of a run.
type Sample struct {
	At float64 `json:"at"`
	// Processor is the processor time of the whole run up to this moment.
	Processor float64 `json:"processor"`
	// Rest is the estimate of the remaining time that was printed, in seconds.
	Rest float64 `json:"rest"`
}

// Moment holds the observations of a run up to a point in time.
type Moment struct {
	At float64
	// Processor is the processor time of the run so far. Rate is the recent number of cores that
	// the run used.
	Processor, Rate        float64
	Done, Running, Waiting []Part
}

// rateOver is the time in seconds after which an earlier rate of the machine counts only a third.
// It is longer than the linking of a large command, which uses one core, and shorter than the build
// of a large command.
const rateOver = 90.0

// Moment returns the record's observations up to a point in time, without later ones.
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

// Built reports whether the run had something to build.
func (r *Record) Built() bool {
	return slices.ContainsFunc(r.Parts, func(part Part) bool { return !part.Always })
}

// Write writes the record into a file.
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
