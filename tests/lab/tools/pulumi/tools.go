//go:build tools

// Package tools imports the command that this module builds, so that go.mod pins its dependencies.
package tools

import _ "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
