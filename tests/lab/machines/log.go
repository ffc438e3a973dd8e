package machines

import (
	"fmt"
	"io"
)

// Log receives one line for each change of this host and each wait.
type Log struct {
	// W receives the lines; stderr for the command line.
	W io.Writer
}

// Printf writes one line.
func (l *Log) Printf(format string, args ...any) {
	if l != nil && l.W != nil {
		_, _ = fmt.Fprintf(l.W, format+"\n", args...)
	}
}
