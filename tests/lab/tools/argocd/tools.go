//go:build tools

// Package tools names the command that this module exists to build.
package tools

import _ "github.com/argoproj/argo-cd/v3/cmd"
