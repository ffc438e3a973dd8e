// Package certificate gates a cert-manager Certificate: Ready at its newest generation, and its
// Secret holds a pair that clients can verify.
package certificate
