package machines

import (
	"fmt"
	"io"
)

// Log receives a line for each change on this host and each wait. A nil Log discards the lines.
type Log struct {
	// W receives the lines. The command line uses stderr.
	W io.Writer
}

// Printf writes one line.
func (l *Log) Printf(format string, args ...any) {
	if l != nil && l.W != nil {
		_, _ = fmt.Fprintf(l.W, format+"\n", args...)
	}
}
