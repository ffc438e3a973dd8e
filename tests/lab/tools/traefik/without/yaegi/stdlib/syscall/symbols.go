// Package syscall has no symbols.
package syscall

import "github.com/traefik/yaegi/interp"

// Symbols are none.
var Symbols interp.Exports
