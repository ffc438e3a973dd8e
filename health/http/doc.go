// Package http gates URLs at the address of a Service: each must give the expected answer, with a
// certificate that the client trusts.
package http
