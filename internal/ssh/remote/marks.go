package remote

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"sync/atomic"
)

// shell is the only line that a login shell, or sudo, is given. It consists of words and one pair
// of single quotes, without a backslash, an exclamation mark or a slash, so that sh, csh, fish and
// rbash read it alike. It waits for a line "strata-begin MARK BYTES". It then writes a mark to both
// streams, and runs as many bytes of standard input. It drops earlier lines, such as a password
// that sudo did not request.
const shell = `sh -c 'while read -r word mark size; do test "$word" = strata-begin && break; done; ` +
	`echo "strata-begins $mark"; echo "strata-begins $mark" >&2; eval "$(head -c "$size")"'`

// marked passes on the bytes of a stream between the marks of a script. The sent text never
// contains a mark, so a host that echoes its input proves nothing.
type marked struct {
	to io.Writer
	// begin and end are the marks; the exit code and a newline follow end.
	begin, end []byte
	// left counts the begin marks that are still to come. begun receives one value for each mark
	// that came.
	left  atomic.Int64
	begun chan struct{}
	// noise keeps the bytes before the next begin.
	noise tail
	// held holds bytes that may be the first part of a mark, until more arrives.
	held []byte
	// code is the script's exit code; -1 until the end mark arrives.
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
		return len(p), nil // A profile may also print after the end mark.
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
	if len(text) > 0 { // An empty write would make a pipe's reader wait.
		if _, err := m.to.Write(text); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// hasBegun removes the begin marks from held, and keeps the text before the next one as noise.
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

// overlap returns how many bytes at the end of text are the beginning of mark.
func overlap(text, mark []byte) int {
	n := min(len(text), len(mark)-1)
	for n > 0 && !bytes.HasSuffix(text, mark[:n]) {
		n--
	}
	return n
}
