//go:build tools

// Package tools imports a package of Gateway API, so that go.mod pins the module that has the CRDs.
package tools

import _ "sigs.k8s.io/gateway-api/pkg/consts"
