// Package webhook gates an admission webhook: through every API server it accepts what it must,
// refuses what it must, and fills in what it fills in, and every server host reaches it.
package webhook
