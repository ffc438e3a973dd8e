// Package api gates every API server by an authenticated /readyz. It also reports when the client
// certificate that it authenticates with ends.
package api
