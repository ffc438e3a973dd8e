package build

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Progress prints a line for each step that starts or ends: what, how many of how many, and seconds.
type Progress struct {
	mutex   sync.Mutex
	out     io.Writer
	count   int
	ended   int
	running map[string]time.Time
}

// NewProgress prints to out.
func NewProgress(out io.Writer) *Progress {
	return &Progress{out: out, running: map[string]time.Time{}}
}

func (p *Progress) total(count int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.count = count
}

func (p *Progress) started(name string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.running[name] = time.Now()
	p.line("%s: building", name)
}

// waiting is a step that another process builds now.
func (p *Progress) waiting(name string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.line("%s: waiting for another build of it", name)
}

func (p *Progress) finished(step Step, entry Entry, err error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.ended++
	began, ran := p.running[step.Name]
	delete(p.running, step.Name)
	switch {
	case err != nil:
		p.line("%s: FAILED", step.Name)
	case step.Key == nil:
		p.line("%s: up to date", step.Name)
	case entry.Cached || !ran:
		p.line("%s: cached", step.Name)
	default:
		p.line("%s: built in %.1f s", step.Name, time.Since(began).Seconds())
	}
}

// Remind prints which steps run and for how long, so that a long compilation is not mistaken for a hang. It returns
// when done is closed.
func (p *Progress) Remind(every time.Duration, done <-chan struct{}) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			p.remind()
		}
	}
}

func (p *Progress) remind() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(p.running)) {
		parts = append(parts, fmt.Sprintf("%s %.0f s", name, time.Since(p.running[name]).Seconds()))
	}
	if len(parts) > 0 {
		p.line("still building: %s", strings.Join(parts, ", "))
	}
}

// line prints with the count of ended steps. Callers hold the mutex.
func (p *Progress) line(format string, args ...any) {
	fmt.Fprintf(p.out, "lab [%2d/%d] %s\n", p.ended, p.count, fmt.Sprintf(format, args...))
}
