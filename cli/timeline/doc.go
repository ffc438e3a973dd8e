// Package timeline analyses a finished run: the duration of each resource, its dependencies, and
// the chain of them that decided the total duration.
//
// A recording is a file of JSON lines. It has the engine's events, each with its time of arrival,
// because the engine's own stamps are whole seconds. At its end is the graph, from the stack's
// state before and after the run. Everything else is computed from that file alone. The package
// changes nothing.
package timeline
