// Package configdocs owns docs/config.md and docs/config.schema.json: the reference, and the schema
// by which editors complete and check a stack file. It renders both from the doc comments and tags
// of package config, so they match the code. Its test fails if one of them is stale; `go generate
// ./config` rewrites them. Tests of package config check that the schema agrees with the validator.
package configdocs
