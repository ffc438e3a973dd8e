// Package stackhealth runs every gate of a stack again in a round, and compares the gates of the
// state with those of the configuration (docs/adr/0018). A gate of the configuration that no update
// has created yet is reported as missing. At the end of an update or preview, Verify runs the gates
// that no step of that run has run (docs/adr/0066).
//
// It owns the selection of gates, and the table, summary and metrics of a round. It owns neither
// the observations and verdicts of a gate (package health), nor the gates of a configuration
// (package platform).
//
// It changes nothing. Each gate has a time limit, and a gate that cannot run has a result, too.
package stackhealth
