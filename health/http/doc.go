// Package http gates URLs at the address of a Service: each answers as it must, under a certificate
// that verifies.
package http
