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
	// begin and end are the marks. The exit code and a newline follow the end mark.
	begin, end []byte
	// left is the number of begin marks that have not arrived yet. begun receives a value for each
	// begin mark that arrives.
	left  atomic.Int64
	begun chan struct{}
	// noise has the last bytes that arrived before the next expected begin mark.
	noise tail
	// held has received bytes that may be the start of a mark, until the bytes that follow decide.
	held []byte
	// code is the script's exit code; -1 until the end mark has arrived.
	code int
}

func newMarked(mark string, begins int, to io.Writer) *marked {
	m := &marked{
		to: to, begin: []byte("strata-begins " + mark + "\n"),
		end:   []byte("strata-ended " + mark + " "),
		begun: make(chan struct{}, begins), code: -1,
	}
	m.left.Store(int64(begins))
	return m
}

func (m *marked) Write(p []byte) (int, error) {
	if m.code >= 0 {
		return len(p), nil // a profile may print more after the end mark
	}
	m.held = append(m.held, p...)
	if !m.hasBegun() {
		return len(p), nil
	}
	at := bytes.Index(m.held, m.end)
	if at < 0 {
		at = len(m.held) - overlap(m.held, m.end)
	} else if code, _, whole := bytes.Cut(m.held[at+len(m.end):], []byte("\n")); whole {
		var err error
		if m.code, err = strconv.Atoi(string(code)); err != nil {
			return 0, fmt.Errorf("end of the script: expected its exit code: %w", err)
		}
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
		_, after, found := bytes.Cut(m.held, m.begin)
		if !found {
			m.held = m.held[max(0, len(m.held)-maxTail):]
			m.noise.replace(m.held)
			return false
		}
		m.held = after
		m.noise.replace(nil)
		m.left.Add(-1)
		m.begun <- struct{}{}
	}
	return true
}

// overlap returns the length of the longest suffix of text that is a prefix of mark.
func overlap(text, mark []byte) int {
	n := min(len(text), len(mark)-1)
	for n > 0 && !bytes.HasSuffix(text, mark[:n]) {
		n--
	}
	return n
}
