package health

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// errWatchEnded means that a Watch stopped observing while it was still needed.
var errWatchEnded = errors.New("the watch ended before its gate")

// wait runs a Watch until every check passes, one is Stuck, the deadline passes or ctx ends. It
// writes a line to progress each time the situation changes. It returns an error if the Watch
// cannot observe at all.
func wait(ctx context.Context, spec Spec, watch Watch, progress io.Writer) (Result, error) {
	start := time.Now()
	bounded, cancel := context.WithTimeout(ctx, spec.Timeout.Duration)
	defer cancel()
	latest := newBoard()
	ended := make(chan error, 1)
	go func() { ended <- watch.Run(bounded, latest.put) }()
	lines := progressLines{to: progress, gate: spec.Gate}
	end := func(ending Ending, checks []Verdict, seen time.Time) Result {
		result := NewResult(spec, ending, time.Since(start), checks)
		result.Seen = seen
		return result
	}
	for {
		var over bool
		select {
		case <-latest.changed:
		case <-bounded.Done():
			over = true
		case err := <-ended:
			if bounded.Err() == nil {
				return Result{}, errors.Join(errWatchEnded, err)
			}
			over = true
		}
		checks, seen := latest.get()
		lines.show(checks, time.Since(start))
		switch state := StateOf(checks); {
		case state == Ready || state == Skipped:
			return end(EndedOpen, checks, seen), nil
		case state == Stuck:
			return end(EndedStuck, checks, seen), nil
		case over && ctx.Err() != nil:
			return end(EndedInterrupted, checks, seen), nil
		case over:
			return end(EndedTimeout, checks, seen), nil
		}
	}
}

// board passes the latest verdicts from a Watch to wait, and drops older ones.
type board struct {
	// changed has a token while there are verdicts that wait has not read.
	changed chan struct{}
	mutex   sync.Mutex
	checks  []Verdict
	// at is the time at which the Watch reported the verdicts.
	at time.Time
}

func newBoard() *board { return &board{changed: make(chan struct{}, 1)} }

func (b *board) put(checks []Verdict) {
	b.mutex.Lock()
	b.checks, b.at = checks, time.Now()
	b.mutex.Unlock()
	select {
	case b.changed <- struct{}{}:
	default: // The token is still there, so wait will read these verdicts.
	}
}

func (b *board) get() ([]Verdict, time.Time) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.checks, b.at
}

// progressLines writes one line per change of the situation.
type progressLines struct {
	to   io.Writer
	gate string
	last string
}

func (p *progressLines) show(checks []Verdict, elapsed time.Duration) {
	text := situation(checks)
	if len(checks) == 0 || text == p.last {
		return
	}
	p.last = text
	// The gate works without its progress lines, so a failed write is no fault.
	_, _ = fmt.Fprintf(p.to, "%s: %s, %d s\n", p.gate, text, int(elapsed.Seconds()))
}

// situation returns the text of a progress line, such as "2/3 Ready; node-3: NotReady, …".
func situation(checks []Verdict) string {
	failing, hidden := Split(checks)
	parts := []string{fmt.Sprintf("%d/%d %s", len(checks)-len(failing)-hidden, len(checks), Ready)}
	for _, check := range failing {
		part := check.Check + ": " + OneLine(check.Message)
		if check.Cause != "" {
			part += " (" + OneLine(check.Cause) + ")"
		}
		parts = append(parts, part)
	}
	if hidden > 0 {
		parts = append(parts, fmt.Sprintf("%d more behind", hidden))
	}
	return strings.Join(parts, "; ")
}

// OneLine joins the lines of a text.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
