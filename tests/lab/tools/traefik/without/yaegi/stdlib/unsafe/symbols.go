// Package unsafe has no symbols.
package unsafe

import "github.com/traefik/yaegi/interp"

// Symbols are none.
var Symbols interp.Exports
