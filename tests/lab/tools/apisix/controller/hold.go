package main

import (
	"context"
	"os"
	"time"
)

// holdWebhook is a Secret in the controller's namespace, for tests: the webhook does not listen
// before it is gone. A test that needs the time between a Pod that is Ready and its webhook has as
// much of it as it takes.
const holdWebhook = "strata-test-hold-webhook"

// held waits until nothing holds the webhook.
func (c *controller) held(ctx context.Context) {
	for ctx.Err() == nil && (!c.hasSynced() || c.get(secrets, os.Getenv("POD_NAMESPACE"), holdWebhook) != nil) {
		time.Sleep(100 * time.Millisecond) // a store reports no news
	}
}

// hasSynced reports whether every store has been filled.
func (c *controller) hasSynced() bool {
	for _, synced := range c.synced {
		if !synced() {
			return false
		}
	}
	return true
}
