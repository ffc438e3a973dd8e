//go:build tools

// Package tools names the commands that this module exists to build.
package tools

import _ "github.com/mccutchen/go-httpbin/v2/cmd/go-httpbin"
