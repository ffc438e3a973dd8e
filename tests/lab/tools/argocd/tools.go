//go:build tools

// Package tools imports the command that this module builds, so that go.mod pins its dependencies.
package tools

import _ "github.com/argoproj/argo-cd/v3/cmd"
