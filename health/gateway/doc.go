// Package gateway gates a Gateway with its GatewayClass: both must be Accepted, and the Gateway and
// its listeners in use Programmed, at the newest generation.
package gateway
