// Package configdocs owns docs/config.md and docs/config.schema.json: it renders the reference, and
// the schema by which editors complete and check a stack file, from the doc comments and tags of
// package config, so that both say what the code says. Its test fails when one of them is stale;
// `go generate ./config` rewrites them. That the schema agrees with the validator is held in
// package config.
package configdocs
