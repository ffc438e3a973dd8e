//go:build tools

// Package tools names the commands that this module exists to build.
package tools

import _ "sigs.k8s.io/metrics-server/cmd/metrics-server"
