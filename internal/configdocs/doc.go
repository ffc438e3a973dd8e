// Package configdocs owns docs/config.md: it renders the reference from the doc comments and tags of package config, so that
// the reference says what the code says. Its test fails when the file is stale; `go generate ./config` rewrites it.
package configdocs
