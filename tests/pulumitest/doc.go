// Package pulumitest runs Strata's program without Pulumi: a mock that records every registration
// with its edges and can make any of them fail, a project folder with a tiny bundle, and plausible
// outputs for the resource types that the program uses.
//
// It owns no expectation about the platform; those are in tests/graph and tests/engine. A Recorder
// is safe for concurrent use and keeps the order in which the engine would have been allowed to
// create.
package pulumitest
