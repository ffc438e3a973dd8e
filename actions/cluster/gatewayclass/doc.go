// Package gatewayclass deletes a GatewayClass even if its controller is gone. A finalizer that no
// controller removes would keep the class for ever and block a destroy. A command resource runs
// Release just before the class itself is deleted.
package gatewayclass
