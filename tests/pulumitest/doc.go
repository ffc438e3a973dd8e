// Package pulumitest runs Strata's program without Pulumi. It has a mock that records every
// registration with its edges and can make any of them fail. It also has a project folder with a
// tiny bundle, and plausible outputs for the program's resource types.
//
// It has no expectation about the platform; those are in tests/graph and tests/engine. A Recorder
// is safe for concurrent use and keeps an order in which the engine could have created the
// resources.
package pulumitest
