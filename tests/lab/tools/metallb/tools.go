//go:build tools

// Package tools names the commands that this module exists to build.
package tools

import (
	_ "go.universe.tf/metallb/controller"
	_ "go.universe.tf/metallb/speaker"
)
