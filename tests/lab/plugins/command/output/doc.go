// Package output captures a command's output: the two streams, both streams interleaved for error
// messages, and live log lines. It does not start commands.
//
// The two writers of a Capture may be used at the same time.
package output
