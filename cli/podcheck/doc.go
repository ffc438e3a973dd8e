// Package podcheck finds Pod templates that mount a certificate's Secret without waiting for it. It
// reads manifests and sends no request. It recognizes a certificate's Secret by a Certificate in
// the same files, else by the file names of a certificate in the mount, or by its name.
package podcheck
