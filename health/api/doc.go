// Package api gates every API server by an authenticated /readyz, and dates the client certificate
// that asks.
package api
