// Package ci holds examples/ci to what GitHub and GitLab read. It is a module of its own because of
// actionlint; what the examples run is held to the program by cli and to what was run by
// tests/docs.
package ci
