// Package gatewayclass takes a GatewayClass away whose controller put a finalizer on it and may be
// gone. A finalizer that no controller removes keeps the class for ever, and a destroy with it.
// Package cli calls it on behalf of a resource that is deleted just before the class.
package gatewayclass
