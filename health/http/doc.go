// Package http gates URLs at the address of a Service: each gives the expected answer, with a
// certificate that the client trusts.
package http
