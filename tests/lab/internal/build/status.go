package build

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// clearLine is the control sequence that moves the cursor to the line's start and clears the line
// (ECMA-48).
const clearLine = "\r\x1b[K"

// Tell prints a status line at each interval until done is closed.
func (p *Progress) Tell(every time.Duration, done <-chan struct{}) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			p.mutex.Lock()
			defer p.mutex.Unlock()
			p.clear()
			return
		case <-ticker.C:
			p.tell()
		}
	}
}

func (p *Progress) tell() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	moment := p.sample()
	if len(moment.Running) == 0 {
		return
	}
	text := p.prefix() + status(moment, p.record.Samples[len(p.record.Samples)-1].Rest)
	if !p.terminal {
		_, _ = fmt.Fprintln(p.out, text)
		return
	}
	// Shorten the line to the terminal's width, because clearLine clears only one screen line.
	if size, err := unix.IoctlGetWinsize(int(p.out.(*os.File).Fd()), unix.TIOCGWINSZ); err == nil &&
		int(size.Col) < len(text) {
		text = text[:size.Col]
	}
	_, _ = fmt.Fprint(p.out, clearLine+text)
	p.shown = true
}

// clear removes the visible status line from a terminal. The caller holds the mutex.
func (p *Progress) clear() {
	if p.shown {
		_, _ = fmt.Fprint(p.out, clearLine)
		p.shown = false
	}
}

// sample adds the present state to the record. The caller holds the mutex.
func (p *Progress) sample() Moment {
	at := p.now()
	p.record.Samples = append(p.record.Samples, Sample{At: at, Processor: p.meter.total().Seconds()})
	moment := p.record.Moment(at)
	p.record.Samples[len(p.record.Samples)-1].Rest = p.Weights.Rest(moment)
	return moment
}

// status returns the text of a status line: the running steps with their durations, the downloads,
// and the remaining time.
func status(moment Moment, rest float64) string {
	var builds, downloads []string
	for _, part := range moment.Running {
		if isDownload(part) {
			downloads = append(downloads, strings.TrimPrefix(part.Name, DownloadOf("")))
			continue
		}
		ran := time.Duration((moment.At - part.Began) * float64(time.Second)).Round(time.Second)
		builds = append(builds, fmt.Sprintf("%s %s", part.Name, ran))
	}
	slices.Sort(downloads)
	var parts []string
	if len(builds) > 0 {
		parts = append(parts, "building "+strings.Join(builds, ", "))
	}
	if len(downloads) > 0 {
		parts = append(parts, "downloading for "+strings.Join(downloads, ", "))
	}
	return strings.Join(parts, "; ") + "; " + roughly(rest) + " left"
}

// prefix returns the start of each line, with the number of ended steps and of all steps.
func (p *Progress) prefix() string { return fmt.Sprintf("lab [%2d/%d] ", p.built, p.steps) }

// line prints a line that no later line replaces. The caller holds the mutex.
func (p *Progress) line(format string, args ...any) {
	p.clear()
	_, _ = fmt.Fprintf(p.out, "%s%s\n", p.prefix(), fmt.Sprintf(format, args...))
}
