// Package certificate gates a cert-manager Certificate: it must be Ready at its newest generation,
// and its Secret must have a certificate and key that clients can verify.
package certificate
