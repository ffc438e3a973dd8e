// Package pulumitest runs Strata's program without Pulumi. Its mock records every registration with
// its dependencies, and can make registrations fail. It also has a project folder with a small
// bundle, and plausible outputs for the program's resources.
//
// It makes no assertions about the platform; tests/graph and tests/engine do. A Recorder is safe
// for concurrent use. It keeps an order in which the engine could have created the resources.
package pulumitest
