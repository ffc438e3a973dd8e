// Package config owns Strata's configuration: one typed tree, its defaults, its rules, and every
// pinned version.
//
// It reads the raw Pulumi configuration (keys `strata:<section>`), decodes it strictly and fills in
// defaults. It reports every mistake at once, with key, value, rule and fix, before anything is
// changed. It knows nothing about Pulumi resources, hosts or clusters: it never connects to
// anything. Defaults live here and nowhere else.
package config

//go:generate go test ../tests/configdocs -run TestReferenceIsUpToDate -update
