// Package gateway gates a Gateway with its GatewayClass: accepted and programmed, every listener of
// it, at its newest generation.
package gateway
