package build

import (
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Progress reports on a build. It prints a line for each step that ends. Every few seconds it
// prints a status line with the finished steps, the running steps and the remaining time. It omits
// cached steps.
type Progress struct {
	// Weights are the expected costs for the estimate. Optional: without them, all parts have the
	// same weight.
	Weights Weights

	mutex  sync.Mutex
	out    io.Writer
	meter  meter
	began  time.Time
	record Record
	// built counts the ended steps, and steps counts all. Neither counts cached steps.
	built, steps int
	// terminal reports whether out is a terminal, on which each status line replaces the previous
	// one. shown reports whether a status line is visible now.
	terminal, shown bool
}

// NewProgress returns a Progress that prints to out.
func NewProgress(out io.Writer) *Progress {
	return &Progress{out: out, terminal: isTerminal(out), began: time.Now(), record: Record{Cores: runtime.NumCPU()}}
}

func isTerminal(out io.Writer) bool {
	file, isFile := out.(*os.File)
	if !isFile {
		return false
	}
	_, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
	return err == nil
}

// Record returns the record of the run. Call it after the run has ended.
func (p *Progress) Record() *Record {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.sample()
	return &p.record
}

// planned records the parts of the build: the missing steps, their downloads, and the steps without
// a key that have a weight.
func (p *Progress) planned(steps []Step, missing map[string]bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	add := func(part Part) {
		part.Weight = p.Weights.of(part)
		p.record.Parts = append(p.record.Parts, part)
	}
	for _, step := range steps {
		if missing[step.Name] && step.Fetch != nil {
			add(Part{Name: DownloadOf(step.Name)})
		}
	}
	for _, step := range steps {
		_, weighed := p.Weights[step.Name] // steps without a weight cost nothing
		if missing[step.Name] || step.Key == nil && weighed {
			add(Part{Name: step.Name, Beside: step.Beside, Always: !missing[step.Name]})
		}
		if missing[step.Name] {
			p.steps++
		}
	}
	p.meter.take() // time before the first part belongs to no part
	if p.steps > 0 {
		p.line("%d of %d parts are to be built: %s", p.steps, len(steps), roughly(p.Weights.Rest(p.record.Moment(0))))
	}
}

// part returns the part with a name, or nil if planned recorded no such part. A step that every
// build runs and that has no weight is no part.
func (p *Progress) part(name string) *Part {
	for i := range p.record.Parts {
		if p.record.Parts[i].Name == name {
			return &p.record.Parts[i]
		}
	}
	return nil
}

// now returns the seconds since the build began. It is never 0, because 0 means "not yet" in a
// record.
func (p *Progress) now() float64 { return max(time.Since(p.began).Seconds(), 0.001) }

func (p *Progress) started(name string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if part := p.part(name); part != nil {
		part.Began = p.now()
	}
}

// ended records the time at which a part ended, and its processor time.
func (p *Progress) ended(name string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if part := p.part(name); part != nil {
		part.Ended, part.Processor = p.now(), p.meter.take().Seconds()
	}
}

// waiting prints that another process is building the step.
func (p *Progress) waiting(name string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.line("%s: waiting for another build of it", name)
}

// finished records that a step has ended or was skipped, and prints if it was built or failed.
func (p *Progress) finished(step Step, err error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	part := p.part(step.Name)
	if part == nil || part.Always {
		part = nil
	} else {
		p.built++
		if part.Ended == 0 { // another process built it, or it was not tried
			part.Began, part.Ended, part.Always = p.now(), p.now(), true
		}
	}
	switch {
	case err != nil:
		p.line("%s: FAILED", step.Name)
	case part != nil && !part.Always:
		p.line("%s: built in %.1f s (processor %.1f s)", step.Name, part.Ended-part.Began, part.Processor)
	}
}
