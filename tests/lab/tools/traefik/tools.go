//go:build tools

// Package tools names the command that this module exists to build.
package tools

import _ "github.com/traefik/traefik/v3/cmd/traefik"
