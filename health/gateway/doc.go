// Package gateway gates a Gateway with its GatewayClass: both accepted, and the Gateway and every
// listener programmed, at the newest generation.
package gateway
