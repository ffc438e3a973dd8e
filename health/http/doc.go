// Package http gates URLs at the address of a Service: each gives the expected answer, under a
// certificate that verifies.
package http
