// Package webhook gates an admission webhook: through every API server it accepts valid objects,
// refuses invalid ones and fills in its defaults, and every server host reaches it.
package webhook
