// Package http gates URLs at the address of a Service. Each must give the expected answer, under a
// certificate that verifies.
package http
