// Package timeline analyses a finished run: the duration of each resource, its dependencies, and
// the critical path, which is the longest chain of dependent resources.
//
// A recording is a file of JSON lines. It has the engine's events, each with its time of arrival,
// because the engine's own timestamps are whole seconds. It also has the dependencies, from the
// stack's state before and after the run. Everything else is computed from that file alone. The
// package changes no resource.
package timeline
