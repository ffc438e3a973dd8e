//go:build tools

// Package tools imports the commands that this module builds, so that go.mod pins their
// dependencies.
package tools

import (
	_ "go.universe.tf/metallb/controller"
	_ "go.universe.tf/metallb/speaker"
)
