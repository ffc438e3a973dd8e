package build

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// Record describes one run of a build: the time spent on each part, and the estimates of the
// remaining time. Times are seconds since the start of the run.
type Record struct {
	// Cores is the machine's number of processor cores.
	Cores int `json:"cores"`
	// Parts are the downloads and then the steps of the run, without those that were cached.
	Parts []Part `json:"parts"`
	// Samples are the states of the run every few seconds.
	Samples []Sample `json:"samples"`
}

// Part is a step or a download.
type Part struct {
	// Name is the step's name. For a download, it is the result of DownloadOf.
	Name string `json:"name"`
	// Began and Ended are 0 until the part has begun or ended.
	Began float64 `json:"began"`
	Ended float64 `json:"ended"`
	// Processor is the processor time of the part, in seconds.
	Processor float64 `json:"processor"`
	// Weight is the part's expected cost.
	Weight Weight `json:"weight"`
	// Beside is the value of the step's field Beside.
	Beside bool `json:"beside,omitempty"`
	// Always reports whether the part runs in every build, or did not run in this build. Its cost
	// is then unknown, so it does not affect the estimate's scale.
	Always bool `json:"always,omitempty"`
}

// Sample is the state of a run at one time.
type Sample struct {
	At float64 `json:"at"`
	// Processor is the processor time, in seconds, of the whole run up to this time.
	Processor float64 `json:"processor"`
	// Rest is the printed estimate of the remaining time, in seconds.
	Rest float64 `json:"rest"`
}

// Moment is the state of a run at a time, without later observations.
type Moment struct {
	At float64
	// Processor is the processor time of the run so far, in seconds. Rate is the number of cores
	// that the run used recently.
	Processor, Rate        float64
	Done, Running, Waiting []Part
}

// rateOver is the time constant, in seconds, of the moving average of used cores: after this time,
// an older value has a third of its weight. Linking a large command, on one core, takes less time.
// Building such a command takes more.
const rateOver = 90.0

// Moment returns the state of the run at a time, without later observations.
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

// Built reports whether the run had a step to build.
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
