package remote

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"sync/atomic"
)

// marked forwards the bytes of a stream between the begin and the end mark of a script. This
// process never sends the marks literally, so a host that echoes its input cannot fake them.
type marked struct {
	to io.Writer
	// begin and end are the marks. The exit code and a newline follow the end mark. other is the
	// begin mark of the other stream: if it arrives here, the host has joined the streams.
	begin, end, other []byte
	joined            atomic.Bool
	// left is the number of begin marks that have not arrived yet.
	left atomic.Int64
	// steps receives the step waits when the next shell announces itself, and the step begins for
	// each begin mark.
	steps   chan step
	waiting bool
	// noise has the last bytes that arrived before the next expected begin mark.
	noise tail
	// held has received bytes that may be the start of a mark, until the bytes that follow decide.
	held []byte
	// code is the script's exit code; -1 until the end mark has arrived.
	code atomic.Int64
	// changed gets a value after a change of joined, noise or code. Both streams share it.
	changed chan struct{}
}

// step is a report of a shell on the host, before the script.
type step int

const (
	waits step = iota
	begins
)

// announcement is the line that a shell prints before it reads.
var announcement = []byte("strata-waits\n")

// newMarked returns the stream that the shells mark with own, while they mark the other stream with
// other. begins is the number of shells.
func newMarked(mark, own, other string, begins int, to io.Writer) *marked {
	m := &marked{
		to: to, begin: []byte("strata-begins " + mark + " " + own + "\n"),
		other: []byte("strata-begins " + mark + " " + other + "\n"),
		end:   []byte("strata-ended " + mark + " "),
		steps: make(chan step, 2*begins), changed: make(chan struct{}, 1),
	}
	m.left.Store(int64(begins))
	m.code.Store(-1)
	return m
}

func (m *marked) Write(p []byte) (int, error) {
	if m.code.Load() >= 0 || m.joined.Load() {
		return len(p), nil // a profile may print more after the end mark
	}
	m.held = append(m.held, p...)
	if bytes.Contains(m.held, m.other) {
		m.joined.Store(true)
		m.notify()
		return len(p), nil
	}
	if !m.hasBegun() {
		return len(p), nil
	}
	at := bytes.Index(m.held, m.end)
	if at < 0 {
		at = len(m.held) - max(overlap(m.held, m.end), overlap(m.held, m.other))
	} else if text, _, whole := bytes.Cut(m.held[at+len(m.end):], []byte("\n")); whole {
		code, err := strconv.Atoi(string(text))
		if err != nil {
			return 0, fmt.Errorf("end of the script: expected its exit code: %w", err)
		}
		defer m.notify()
		defer m.code.Store(int64(code))
	}
	text := m.held[:at]
	m.held = bytes.Clone(m.held[at:])
	if len(text) > 0 { // an empty write would block the reader of a pipe
		if _, err := m.to.Write(text); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// hasBegun removes the begin marks from held, and stores the text before the next one as noise. It
// returns true if all begin marks have arrived.
func (m *marked) hasBegun() bool {
	for m.left.Load() > 0 {
		before, after, found := bytes.Cut(m.held, m.begin)
		if !m.waiting && bytes.Contains(before, announcement) {
			m.waiting = true
			m.steps <- waits
		}
		if !found {
			m.held = m.held[max(0, len(m.held)-maxTail):]
			m.noise.replace(bytes.ReplaceAll(m.held, announcement, nil))
			m.notify()
			return false
		}
		m.held, m.waiting = after, false
		m.noise.replace(nil)
		m.left.Add(-1)
		m.steps <- begins
	}
	return true
}

// notify reports a change. It does not block: an earlier report that was not read yet suffices.
func (m *marked) notify() {
	select {
	case m.changed <- struct{}{}:
	default:
	}
}

// overlap returns the length of the longest suffix of text that is a prefix of mark.
func overlap(text, mark []byte) int {
	n := min(len(text), len(mark)-1)
	for n > 0 && !bytes.HasSuffix(text, mark[:n]) {
		n--
	}
	return n
}
