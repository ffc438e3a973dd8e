// Package local is command:local:Command and command:local:run: commands on the
// machine that runs the engine.
//
// It owns starting the interpreter and reading assets afterwards. It does not
// own capturing output (package output).
package local
