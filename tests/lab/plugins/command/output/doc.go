// Package output captures a command's output.
//
// It owns the two streams as outputs, their interleaving for error messages, and the live log
// lines. It does not start commands.
//
// A Capture is safe for two writers at once; Close waits for the last log line.
package output
