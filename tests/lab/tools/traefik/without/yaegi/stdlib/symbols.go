// Package stdlib has no symbols.
package stdlib

import "github.com/traefik/yaegi/interp"

// Symbols are none.
var Symbols interp.Exports
