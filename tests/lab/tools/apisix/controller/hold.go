package main

import (
	"context"
	"os"
	"time"
)

// holdWebhook is the name of a Secret in the controller's namespace, for tests. While it exists,
// the webhook does not listen. So a test can extend the time between a ready Pod and its listening
// webhook as long as it needs.
const holdWebhook = "strata-test-hold-webhook"

// held waits until the Secret holdWebhook does not exist.
func (c *controller) held(ctx context.Context) {
	for ctx.Err() == nil && (!c.hasSynced() || c.get(secrets, os.Getenv("POD_NAMESPACE"), holdWebhook) != nil) {
		time.Sleep(100 * time.Millisecond) // poll, because a store sends no events
	}
}

// hasSynced reports whether all stores have been filled.
func (c *controller) hasSynced() bool {
	for _, synced := range c.synced {
		if !synced() {
			return false
		}
	}
	return true
}
