// Package timeline owns what is known about a run after it: which resource took how long, what
// waited for what, and which chain of them decided how long the whole took.
//
// A recording is a file of JSON lines: the engine's events, each with the time at which it arrived
// (the engine's own stamps are whole seconds), and at the end the graph, from the stack's state
// before and after the run. Everything else is computed from that file alone. The package changes
// nothing.
package timeline
