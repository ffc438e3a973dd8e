// Package local is command:local:Command: commands on the machine that runs the engine.
//
// It owns starting the interpreter. It does not own capturing output (package
// output).
package local
