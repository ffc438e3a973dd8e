// Package podcheck finds Pod templates that mount a certificate's Secret without waiting for it. It
// reads manifests and sends no request; it knows a certificate's Secret by the Certificate in the
// same files, or else by being mounted with a certificate's own file names or by its name.
package podcheck
