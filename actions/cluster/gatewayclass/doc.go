// Package gatewayclass deletes a GatewayClass whose controller put a finalizer on it and may be
// gone. A finalizer that no controller removes keeps the class for ever, and blocks a destroy.
// Package cli calls it on behalf of a resource that is deleted just before the class.
package gatewayclass
