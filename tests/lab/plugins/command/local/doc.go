// Package local implements command:local:Command: commands on the machine that runs the engine.
// Package output captures their output.
package local
